import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { hashOfToken } from '../../store/key-format.ts';
import { isSecure } from '../console/cookie.ts';
import type { GatewayContext } from '../door/context.ts';

const NAME = 'headgate_browser';

const prefixOf = (isHttps: boolean) => (isHttps ? 'host' : undefined);

/**
 * The hash of a cookie that recognises this browser; the cookie is set when it has none. A request that one
 * browser began cannot be decided in another, so nobody can be tricked into a consent that somebody else
 * started.
 */
export function browserOf(context: Context, gateway: GatewayContext): string {
  const isHttps = isSecure(context, gateway.services.config.server.behind_proxy);
  const known = getCookie(context, NAME, prefixOf(isHttps));
  const value =
    known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url');
  if (value !== known)
    setCookie(context, NAME, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      maxAge: 86_400,
      ...(isHttps ? { prefix: 'host', secure: true } : {}),
    });
  return hashOfToken(value);
}
