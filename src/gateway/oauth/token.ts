import type { Context, Hono } from 'hono';
import { LIMITS } from '../../core/limits.ts';
import { challengeOf, type TokenPair } from '../../store/grants.ts';
import type { GatewayContext } from '../door/context.ts';
import { requestWindowOf } from '../door/rate-limit.ts';
import type { FindClient } from './clients.ts';
import { OAuthError, readForm } from './form.ts';
import type { ProviderStanding } from './provider-standing.ts';
import { placeOfResource } from '../door/resource.ts';

interface TokenOptions {
  findClient: FindClient;
  publicUrl: string;
  /** Asks the identity provider about a person before a client of theirs gets new tokens. */
  check?: ProviderStanding['check'];
}

/** Mounts `/oauth/token` and `/oauth/revoke`, which clients call themselves. */
export function mountTokens(app: Hono, gateway: GatewayContext, options: TokenOptions): void {
  const { findClient, publicUrl, check } = options;
  const { store, services, identify } = gateway;
  const limit = requestWindowOf(services.config.server);
  const post = (path: string, run: (form: Map<string, string>, context: Context) => Promise<object>) =>
    app.post(path, async (context) => {
      const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
      try {
        if ((await services.shared.take(`token ${gateway.addressOf(context)}`, limit)) !== undefined)
          throw new OAuthError('temporarily_unavailable', 'Too many requests.', 429);
        return context.json(await run(await readForm(context.req), context), 200, headers);
      } catch (thrown) {
        if (!(thrown instanceof OAuthError)) throw thrown;
        return context.json(
          { error: thrown.code, error_description: thrown.message },
          thrown.status,
          headers,
        );
      }
    });
  const clientOf = async (form: Map<string, string>, signal: AbortSignal): Promise<string> => {
    const id = form.get('client_id') ?? '';
    // A client whose registration has ended registers again when it sees this.
    if ((await findClient(id, signal)) === undefined)
      throw new OAuthError('invalid_client', 'This gateway does not know the client.', 401);
    return id;
  };
  const pairOf = async (form: Map<string, string>, client: string): Promise<TokenPair | undefined> => {
    const type = form.get('grant_type');
    if (type === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const person = check === undefined ? undefined : await store.grants.personOf(token, client);
      if (person !== undefined) await check?.(person);
      return store.grants.refresh(token, client);
    }
    if (type !== 'authorization_code')
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token.',
      );
    const verifier = form.get('code_verifier') ?? '';
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier))
      throw new OAuthError('invalid_request', 'code_verifier is missing or malformed.');
    const redirect = form.get('redirect_uri') ?? '';
    return store.grants.redeem(form.get('code') ?? '', {
      client,
      redirect,
      challenge: challengeOf(verifier),
    });
  };
  post('/oauth/token', async (form, context) => {
    const client = await clientOf(form, context.req.raw.signal);
    const resource = form.get('resource');
    const place = resource === undefined ? undefined : placeOfResource(resource, publicUrl);
    if (resource !== undefined && place === undefined)
      throw new OAuthError('invalid_target', 'resource is not an address of this gateway.');
    const pair = await pairOf(form, client);
    if (pair === undefined) throw new OAuthError('invalid_grant', 'The code or token is not valid.');
    if (place !== undefined && pair.resource !== `${publicUrl}${place}`) {
      await store.grants.revoke(pair.refresh, client);
      throw new OAuthError('invalid_target', 'The person has allowed another resource.');
    }
    return {
      access_token: pair.access,
      token_type: 'Bearer',
      expires_in: LIMITS.accessTokenMs / 1_000,
      refresh_token: pair.refresh,
      scope: pair.scopes.join(' '),
    };
  });
  // Unknown tokens are not reported, so that nobody can find out which exist.
  post('/oauth/revoke', async (form, context) => {
    const client = await clientOf(form, context.req.raw.signal);
    await store.grants.revoke(form.get('token') ?? '', client);
    identify.forget();
    return {};
  });
}
