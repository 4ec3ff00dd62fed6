import type { Context } from 'hono';

const NAME = 'headgate_session';

/** Whether the person reaches us by https; a proxy of the operator's own may say so for us. */
export const isSecure = (context: Context, behindProxy: boolean): boolean =>
  (behindProxy ? context.req.header('x-forwarded-proto') : undefined) === 'https' ||
  context.req.url.startsWith('https:');

/** Over https the name carries `__Host-`, so that no other site can plant it; over plain http browsers refuse that name. */
const nameOf = (secure: boolean): string => (secure ? `__Host-${NAME}` : NAME);

export function readSessionCookie(context: Context, secure: boolean): string | undefined {
  const wanted = `${nameOf(secure)}=`;
  const found = (context.req.header('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(wanted));
  const token = found?.slice(wanted.length);
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/** The `Set-Cookie` of a session; without a token it ends the cookie. */
export const sessionCookie = (token: string | undefined, secure: boolean): string =>
  [
    `${nameOf(secure)}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
    ...(token === undefined ? ['Max-Age=0'] : []),
  ].join('; ');
