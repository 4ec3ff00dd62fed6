import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

const NAME = 'headgate_session';

/** Whether the browser uses https, directly or through the operator's proxy. */
export const isSecure = (context: Context, behindProxy: boolean): boolean =>
  (behindProxy ? context.req.header('x-forwarded-proto') : undefined) === 'https' ||
  context.req.url.startsWith('https:');

/** Over https the `__Host-` prefix keeps other sites from setting the cookie; plain http does not allow it. */
const prefixOf = (secure: boolean) => (secure ? 'host' : undefined);

export function readSessionCookie(context: Context, secure: boolean): string | undefined {
  const token = getCookie(context, NAME, prefixOf(secure));
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/** Sets the cookie of a session; without a token it deletes the cookie. */
export const writeSessionCookie = (context: Context, token: string | undefined, secure: boolean): void =>
  setCookie(context, NAME, token ?? '', {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    ...(secure ? { prefix: 'host', secure } : {}),
    ...(token === undefined ? { maxAge: 0 } : {}),
  });
