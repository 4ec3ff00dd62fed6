import type { Context } from 'hono';

/** Answers a person who opens an address for programs in a browser with words instead of JSON. */
export async function forPeople(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const { status } = context.res;
  if (context.req.method !== 'GET' || (status !== 401 && status !== 403)) return;
  const isBrowser = /\btext\/html\b/.test(context.req.header('accept') ?? '');
  const isJson = /json/.test(context.res.headers.get('content-type') ?? '');
  if (!isBrowser || !isJson) return;
  const body = (await context.res.clone().json()) as { detail?: { error?: unknown }; error?: unknown };
  const said = body.detail?.error ?? body.error;
  const reason = typeof said === 'string' ? said : '';
  const headers = new Headers(context.res.headers);
  headers.set('content-type', 'text/plain; charset=utf-8');
  headers.delete('content-length');
  const where =
    'This is a Headgate gateway, and this address is for programs. Open / to sign in to the console and create a key, or ask the operator for one.';
  const words = [reason, where].filter((text) => text !== '').join('\n\n');
  context.res = new Response(`${words}\n`, { status, headers });
}
