import type { Context, Hono } from 'hono';
import type { HttpWorld } from '../http/world.ts';
import { type Asset, createAssets } from './assets.ts';
import type { ConsoleAuth } from './auth.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { mountReads } from './read-routes.ts';
import { mountRun } from './run-route.ts';
import { mountSessions } from './session-routes.ts';

/** The console: its files at `/` and `/console/…`, and the routes that only it uses. */
export function mountConsole(app: Hono, world: HttpWorld, auth: ConsoleAuth): void {
  mountSessions(app, world, auth);
  mountReads(app, world, auth);
  mountRun(app, world, auth);
  const assets = createAssets();
  const serve = (context: Context, path: string): Response => {
    const asset = assets(path);
    return asset === undefined ? context.json({ detail: 'Not Found' }, 404) : send(context, asset);
  };
  app.get('/', (context) => serve(context, 'index.html'));
  app.get('/favicon.ico', (context) => serve(context, 'icon.svg'));
  app.get('/console/:file{.+}', (context) => serve(context, context.req.param('file')));
}

function send(context: Context, asset: Asset): Response {
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': asset.type,
    // Asked again each time and answered with 304, so that an upgrade is seen at once.
    'cache-control': 'no-cache',
    etag: asset.etag,
    vary: 'accept-encoding',
  };
  if (context.req.header('if-none-match') === asset.etag) return new Response(null, { status: 304, headers });
  const accepted = context.req.header('accept-encoding') ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  const body = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip : asset.plain;
  return new Response(new Uint8Array(body), {
    headers: encoding === undefined ? headers : { ...headers, 'content-encoding': encoding },
  });
}
