import type { AuthorizationServer } from 'oauth4webapi';
import { HeadgateError } from '../../core/errors.ts';
import type { KeyScope } from '../../core/grant.ts';
import { LIMITS } from '../../core/limits.ts';
import { includesRole } from '../../core/roles.ts';
import { clip, oneLine } from '../../core/text.ts';
import { hashOfToken } from '../../store/key-format.ts';
import type { KeyHolder } from '../../store/keys.ts';
import { archivedRefusal } from '../../store/lifecycle.ts';
import type { GatewayParts } from '../door/gateway.ts';
import { agentOf, CLIENT_SCOPES } from '../door/resource.ts';
import { rolesFromGroups } from './group-rules.ts';
import { clientAuthentication, createIssuer, loadOAuth, type Issuer } from './issuer.ts';

/** Finds out who uses a token of the authorization server in `[auth] issuer`, at the resource of a place. */
export type ForeignTokens = (token: string, place: string) => Promise<KeyHolder>;

type Claims = Record<string, unknown>;

/**
 * A token is checked, the groups in it choose the workspace, and a key without a secret stands for the client
 * and the person, as for the gateway's own tokens: it is listed, metered and can be revoked.
 */
export function createForeignTokens(parts: GatewayParts): ForeignTokens | undefined {
  const { services, store } = parts;
  const { auth, server } = services.config;
  const publicUrl = server.public_url;
  if (auth.issuer === undefined || publicUrl === undefined) return undefined;
  const name = auth.issuer;
  const client = { id: auth.introspection_client_id, secret: auth.introspection_client_secret };
  const verify = createVerify(createIssuer(services, name), client, () => services.clock.now());
  const cache = new Map<string, { claims: Claims; until: number }>();
  const claimsOf = async (token: string, audiences: readonly string[]): Promise<Claims> => {
    const key = hashOfToken(`${audiences.join(' ')} ${token}`);
    const now = services.clock.now();
    const known = cache.get(key);
    if (known !== undefined && now < known.until) return known.claims;
    const claims = await verify(token, audiences);
    if (cache.size >= LIMITS.foreignTokensMax) cache.clear();
    const end = typeof claims['exp'] === 'number' ? claims['exp'] * 1_000 : Infinity;
    cache.set(key, { claims, until: Math.min(end, now + LIMITS.foreignTokenKnownMs) });
    return claims;
  };
  const workspaceOf = async (claims: Claims, place: string): Promise<string> => {
    const roles = await rolesFromGroups(claims, parts);
    const usable = roles?.workspaces.filter(({ role }) => includesRole(role, 'member')) ?? [];
    const agent = agentOf(place);
    const { workspace: wanted } =
      agent === undefined ? {} : await store.agents.get(agent).catch(() => ({ workspace: undefined }));
    const found = usable.find(({ workspace }) => wanted === undefined || workspace === wanted);
    if (found !== undefined) return found.workspace;
    throw new HeadgateError('forbidden', 'The token gives no right to use a workspace here.', {
      remediation: 'Ask the operator for a rule in [auth] groups that names a workspace.',
    });
  };
  return async (token, place) => {
    // A token for the whole gateway is good everywhere, like one of its own.
    const audiences = [publicUrl, `${publicUrl}${place}`];
    const claims = await claimsOf(token, audiences);
    const said = [claims['aud']].flat();
    const resource = audiences.find((one) => said.includes(one));
    if (resource === undefined) throw refused();
    const subject = String(claims['sub']);
    const workspace = await workspaceOf(claims, place);
    const linked = await store.identities.find({ issuer: name, subject });
    if (typeof linked?.archived === 'number') throw archivedRefusal('person');
    const holder = await store.grants.foreign({
      issuer: name,
      subject,
      client: clip(oneLine(String(claims['client_id'])), LIMITS.meterNameCharsMax),
      person: linked?.person ?? clip(oneLine(subject), LIMITS.meterNameCharsMax),
      workspace,
      scopes: [...CLIENT_SCOPES],
    });
    const scopes = scopesIn(claims);
    return { ...holder, resource, scopes: holder.scopes.filter((scope) => scopes.includes(scope)) };
  };
}

/** The scopes of ours in a token; a server that does not know them gives all. */
function scopesIn({ scope }: Claims): readonly KeyScope[] {
  const words = new Set(typeof scope === 'string' ? scope.split(' ') : []);
  const ours = CLIENT_SCOPES.filter((one) => words.has(one));
  return ours.length === 0 ? CLIENT_SCOPES : ours;
}

/** Whom an unverified token says that it is for; only to choose what it is then checked against. */
function audienceIn(token: string): unknown[] {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    return [(JSON.parse(payload) as Claims)['aud']].flat();
  } catch {
    return [];
  }
}

/** Checks a token for one of these audiences. A server that cannot be asked is no reason to call a token invalid. */
function createVerify(
  issuer: Issuer,
  client: { id: string | undefined; secret: string | undefined },
  now: () => number,
) {
  const introspected = async (server: AuthorizationServer, token: string, signal: AbortSignal) => {
    const { introspectionRequest, processIntrospectionResponse } = await loadOAuth();
    const self = { client_id: client.id ?? '' };
    const authentication = await clientAuthentication(server, client.secret);
    const options = await issuer.options(signal);
    const response = await introspectionRequest(server, self, authentication, token, options);
    if (response.status !== 200) throw unavailable(new Error(`Introspection: HTTP ${response.status}`));
    const claims = await processIntrospectionResponse(server, self, response);
    const isOver = claims.exp !== undefined && claims.exp * 1_000 <= now();
    const isOthers = claims.iss !== undefined && claims.iss !== server.issuer;
    // A token that is bound to a key of its client is not good without a proof of it.
    if (!claims.active || isOver || isOthers || claims.sub === undefined || claims.cnf !== undefined)
      throw new Error('The token is not active.');
    return { client_id: 'client', ...claims } as Claims;
  };
  const signed = async (
    server: AuthorizationServer,
    token: string,
    audience: string,
    signal: AbortSignal,
  ) => {
    const { validateJwtAccessToken } = await loadOAuth();
    const request = new Request(audience, { headers: { authorization: `Bearer ${token}` } });
    return (await validateJwtAccessToken(server, request, audience, await issuer.options(signal))) as Claims;
  };
  return async (token: string, audiences: readonly string[]): Promise<Claims> => {
    const signal = AbortSignal.timeout(LIMITS.issuerMs);
    const server = await issuer.metadata(signal).catch((thrown: unknown) => {
      throw unavailable(thrown);
    });
    try {
      if (client.id !== undefined) return await introspected(server, token, signal);
      const said = audienceIn(token);
      const audience = audiences.find((one) => said.includes(one));
      if (audience === undefined) throw new Error('The token is for another audience.');
      return await signed(server, token, audience, signal);
    } catch (thrown) {
      // The library's own errors are about the token; ours are about the network.
      if (thrown instanceof HeadgateError)
        throw thrown.code === 'upstream_unavailable' ? thrown : unavailable(thrown);
      throw refused(thrown);
    }
  };
}

const unavailable = (cause: unknown): HeadgateError =>
  new HeadgateError('upstream_unavailable', 'The authorization server cannot be asked now.', { cause });

const refused = (cause?: unknown): HeadgateError =>
  new HeadgateError('unauthenticated', 'The access token is not valid.', {
    remediation: 'Sign in again.',
    ...(cause === undefined ? {} : { cause }),
  });
