import type { Context, Hono } from 'hono';
import { FAILURE_TEXTS_JA } from '../../toolsets/catalogue.ts';
import { WARNINGS_JA } from '../../toolsets/compat/tavily-ja/warnings.ts';
import type { GatewayContext } from '../door/context.ts';
import { type Asset, createAssets } from './assets.ts';
import type { ConsoleAuth } from './auth.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { mountLive } from './live-route.ts';
import { mountReads } from './read-routes.ts';
import { mountResearchPassages } from './research-route.ts';
import { mountRun } from './run-route.ts';
import { mountSessions } from './session-routes.ts';

/** Compressed once for every gateway of the process. */
const assets = createAssets();

/** Mounts the console: its files at `/` and `/console/…`, and its own routes. */
export function mountConsole(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  mountSessions(app, gateway, auth);
  mountReads(app, gateway, auth);
  mountRun(app, gateway, auth);
  mountResearchPassages(app, gateway, auth);
  mountLive(app, gateway, auth);
  const serve = (context: Context, path: string): Response => {
    const asset = assets(path);
    return asset === undefined ? context.json({ detail: 'Not Found' }, 404) : send(context, asset);
  };
  app.get('/', (context) => serve(context, 'index.html'));
  for (const [name, texts] of Object.entries({ failures: FAILURES_JA, warnings: WARNINGS_JA }))
    app.get(`/console/${name}-ja.json`, (context) =>
      context.json(texts, 200, { 'cache-control': 'no-cache' }),
    );
  app.get('/favicon.ico', (context) => serve(context, 'icon.svg'));
  app.get('/console/:file{.+}', (context) => serve(context, context.req.param('file')));
}

/** Failures in Japanese by code; the page does not know which provider it was. */
const FAILURES_JA = Object.fromEntries(
  Object.entries(FAILURE_TEXTS_JA).map(([code, text]) => [code, text.replaceAll('{name}', '')]),
);

function send(context: Context, asset: Asset): Response {
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': asset.type,
    // Revalidated with every request, so that an upgrade takes effect at once.
    'cache-control': 'no-cache',
    etag: asset.etag,
    vary: 'accept-encoding',
  };
  if (context.req.header('if-none-match') === asset.etag) return new Response(null, { status: 304, headers });
  const accepted = context.req.header('accept-encoding') ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  const body = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip() : asset.plain;
  return new Response(new Uint8Array(body), {
    headers: encoding === undefined ? headers : { ...headers, 'content-encoding': encoding },
  });
}
