import type { Context, Hono } from 'hono';
import type { KeyScope } from '../../core/grant.ts';
import { LIMITS } from '../../core/limits.ts';
import { SECURITY_HEADERS } from '../console/headers.ts';
import type { GatewayContext } from '../door/context.ts';
import { perMinute } from '../door/rate-limit.ts';
import { browserOf } from './browser.ts';
import type { FindClient } from './clients.ts';
import { OAuthError, formParameters } from './form.ts';
import { isRegistered } from './redirect.ts';
import { CLIENT_SCOPES, placeOfResource } from '../door/resource.ts';

/**
 * Mounts `/oauth/authorize`, where a client sends the person's browser. A valid request is stored, bound to
 * this browser, and decided on the console's consent page.
 */
export function mountAuthorize(app: Hono, gateway: GatewayContext, options: AuthorizeOptions): void {
  const { services, store } = gateway;
  const limit = perMinute(LIMITS.authorizationsPerMinute);
  app.get('/oauth/authorize', async (context) => {
    context.header('cache-control', 'no-store');
    if ((await services.shared.take(`authorize ${gateway.addressOf(context)}`, limit)) !== undefined)
      return page(context, 'Too many sign-ins from this address. Wait a minute and try again.', 429);
    try {
      const asked = formParameters(new URL(context.req.url).searchParams);
      const target = await targetOf(asked, options.findClient, context.req.raw.signal);
      try {
        const request = { ...target, ...requestOf(asked, options.publicUrl) };
        const id = await store.grants.begin({ ...request, browser: browserOf(context, gateway) });
        return context.redirect(`/#/consent/${id}`, 303);
      } catch (thrown) {
        if (!(thrown instanceof OAuthError)) throw thrown;
        return context.redirect(refusalUrl(target.redirect, thrown, asked, options.publicUrl), 303);
      }
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      const { code, message: error } = thrown;
      const [client, address] = [context.req.query('client_id'), gateway.addressOf(context)];
      gateway.handshakes.note({ address, client, step: 'authorize', failed: { code, error } });
      // Nobody may be sent to an address that is not known to belong to the client.
      return page(context, thrown.message, 400);
    }
  });
}

export interface AuthorizeOptions {
  publicUrl: string;
  findClient: FindClient;
}

/** The client, and the address of it to return to. */
async function targetOf(asked: Map<string, string>, findClient: FindClient, signal: AbortSignal) {
  const id = asked.get('client_id');
  const redirect = asked.get('redirect_uri');
  if (id === undefined || redirect === undefined)
    throw new OAuthError('invalid_request', 'client_id and redirect_uri are needed.');
  const client = await findClient(id, signal);
  if (client === undefined)
    throw new OAuthError(
      'invalid_client',
      'This gateway does not know the client. Its operator can add it with [auth] clients, client_hosts or registration.',
    );
  if (!isRegistered(redirect, client.redirects))
    throw new OAuthError('invalid_request', 'The client has not registered this redirect_uri.');
  return { client: client.id, clientName: client.name, redirect };
}

const STATE_CHARS_MAX = 4_000;

function requestOf(asked: Map<string, string>, publicUrl: string) {
  if (asked.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  const challenge = asked.get('code_challenge') ?? '';
  if (asked.get('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'A code_challenge with the method S256 is needed.');
  const place = placeOfResource(asked.get('resource') ?? `${publicUrl}/mcp`, publicUrl);
  if (place === undefined)
    throw new OAuthError('invalid_target', 'resource is not an address of this gateway.');
  const state = asked.get('state');
  if (state !== undefined && state.length > STATE_CHARS_MAX)
    throw new OAuthError('invalid_request', 'state is too long.');
  return {
    challenge,
    resource: `${publicUrl}${place}`,
    scopes: scopesOf(asked.get('scope')),
    ...(state === undefined ? {} : { state }),
  };
}

/** The scopes in a request; unknown ones are ignored, and none means all. */
function scopesOf(text = ''): KeyScope[] {
  const words = new Set(text.split(' '));
  const known = CLIENT_SCOPES.filter((scope) => words.has(scope));
  return known.length === 0 ? [...CLIENT_SCOPES] : known;
}

function refusalUrl(redirect: string, error: OAuthError, asked: Map<string, string>, issuer: string): string {
  const state = asked.get('state');
  return withParameters(redirect, {
    error: error.code,
    error_description: error.message,
    ...(state === undefined || state.length > STATE_CHARS_MAX ? {} : { state }),
    iss: issuer,
  });
}

/** Adds parameters and leaves the rest of the address as the client wrote it. */
export const withParameters = (address: string, parameters: Record<string, string>): string =>
  `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;

const page = (context: Context, text: string, status: 400 | 429): Response =>
  context.text(`Headgate cannot sign you in.\n\n${text}\n`, status, SECURITY_HEADERS);
