import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { KeyScope } from '../core/grant.ts';
import { LIMITS } from '../core/limits.ts';
import { sql, type Database, type SqlStatement } from './database.ts';
import { hashOfToken, newAccessToken } from './key-format.ts';
import type { KeyHolder, Keys } from './keys.ts';
import {
  from,
  integerColumn,
  integerOrNull,
  jsonColumn,
  newId,
  rowReader,
  textColumn,
  textOrNull,
} from './rows.ts';

/** A client that registered itself. */
export interface RegisteredClient {
  id: string;
  name: string;
  redirects: string[];
}

/** What a client asks a person for. */
export interface AuthorizationRequest {
  client: string;
  clientName: string;
  redirect: string;
  /** The SHA-256 of the secret that the client will prove, in base64url. */
  challenge: string;
  resource: string;
  scopes: KeyScope[];
  state?: string;
  /** The hash of a cookie: only the browser that began may decide. */
  browser: string;
}

/** What a person decided. */
export interface Consent {
  person: string;
  workspace: string;
  agent?: string;
  scopes: KeyScope[];
}

/** What the client shows when it redeems a code. */
export interface Redeeming {
  client: string;
  redirect: string;
  challenge: string;
}

export interface TokenPair {
  access: string;
  refresh: string;
  scopes: KeyScope[];
  resource: string;
}

/** Permissions that people gave to clients, from the first request to the last token. Secrets are stored as hashes. */
export interface Grants {
  register(client: Omit<RegisteredClient, 'id'>): Promise<RegisteredClient>;
  client(id: string): Promise<RegisteredClient | undefined>;
  /** Stores a request until the person has decided, and returns its id. */
  begin(request: AuthorizationRequest): Promise<string>;
  request(id: string): Promise<AuthorizationRequest | undefined>;
  /** Ends a request. Returns the code for the client; undefined when it was decided before. */
  allow(id: string, consent: Consent): Promise<string | undefined>;
  deny(id: string): Promise<void>;
  /** Exchanges a code, once. A second attempt ends everything that the first one gave. */
  redeem(code: string, shown: Redeeming): Promise<TokenPair | undefined>;
  /** Who gave the permission behind a refresh token that this client may still use. */
  personOf(token: string, client: string): Promise<string | undefined>;
  /** Exchanges a refresh token, once. A later attempt with the same one ends the whole family. */
  refresh(token: string, client: string): Promise<TokenPair | undefined>;
  /** The key without a secret that stands for a client and a person of a foreign authorization server. */
  foreign(grant: ForeignGrant): Promise<KeyHolder>;
  /** Ends the family of a token of this client. */
  revoke(token: string, client: string): Promise<void>;
}

/** What a token of a foreign authorization server allows. */
export interface ForeignGrant {
  issuer: string;
  subject: string;
  client: string;
  person: string;
  workspace: string;
  scopes: KeyScope[];
}

type Kind = 'request' | 'code' | 'access' | 'refresh';

/** The data of a code or token. */
interface Granted extends AuthorizationRequest, Partial<Consent> {
  scopes: KeyScope[];
}

/** A client may send a refresh twice at once by mistake; that ends nothing. */
const REPEAT_MS = 10_000;

export function createGrants(database: Database, clock: Clock, keys: Keys): Grants {
  const tokens = createTokens(database, clock);
  const issue = async (apiKey: string, granted: Granted): Promise<TokenPair> => {
    const access = newAccessToken();
    const refresh = `hg_ort_${randomBytes(32).toString('base64url')}`;
    const now = clock.now();
    await database.write([
      tokens.sweep(),
      tokens.insert('access', access, granted, now + LIMITS.accessTokenMs, apiKey),
      tokens.insert('refresh', refresh, granted, now + LIMITS.refreshTokenMs, apiKey),
    ]);
    return { access, refresh, scopes: granted.scopes, resource: granted.resource };
  };
  return {
    ...createClientStore(database, clock),
    foreign: foreignGrants(database, clock, keys),
    begin: async (request) => {
      const id = randomBytes(32).toString('base64url');
      await database.write([tokens.sweep()]);
      const [count] = await database.read("SELECT count(*) AS open FROM oauth_tokens WHERE kind = 'request'");
      if (count !== undefined && integerColumn(count, 'open') >= LIMITS.authorizationsMax)
        throw new HeadgateError('rate_limited', 'Too many sign-ins are under way.', { retryAfterMs: 60_000 });
      await database.write([tokens.insert('request', id, request, clock.now() + LIMITS.authorizationMs)]);
      return id;
    },
    request: async (id) => (await tokens.find('request', id))?.data,
    allow: async (id, consent) => {
      const request = await tokens.find('request', id);
      if (request === undefined || !(await tokens.take(request))) return undefined;
      const code = `hg_oac_${randomBytes(32).toString('base64url')}`;
      const granted = { ...request.data, ...consent };
      await database.write([
        tokens.insert('code', code, granted, clock.now() + LIMITS.authorizationCodeMs),
        tokens.remove(request),
      ]);
      return code;
    },
    deny: async (id) => {
      const request = await tokens.find('request', id);
      if (request !== undefined) await database.write([tokens.remove(request)]);
    },
    redeem: async (code, shown) => {
      const found = await tokens.find('code', code);
      if (found === undefined || !isFor(found.data, shown)) return undefined;
      const { workspace, person, agent, scopes, client, clientName } = found.data;
      if (workspace === undefined || person === undefined) return undefined;
      if (found.apiKey !== null) {
        await keys.revoke(found.apiKey);
        return undefined;
      }
      const { record } = await keys.create({ workspace, label: clientName, scopes, client, person, agent });
      if (await tokens.take(found, record.id)) return issue(record.id, found.data);
      await keys.revoke(record.id);
      return undefined;
    },
    personOf: personBehind(tokens),
    refresh: async (token, client) => {
      const found = await tokens.find('refresh', token);
      if (found === undefined || found.apiKey === null || found.data.client !== client) return undefined;
      if (found.used !== null) {
        if (clock.now() - found.used > REPEAT_MS) await keys.revoke(found.apiKey);
        return undefined;
      }
      if ((await keys.get(found.apiKey)).revoked !== null) return undefined;
      return (await tokens.take(found)) ? issue(found.apiKey, found.data) : undefined;
    },
    revoke: async (token, client) => {
      const found = (await tokens.find('refresh', token)) ?? (await tokens.find('access', token));
      if (found !== undefined && found.apiKey !== null && found.data.client === client)
        await keys.revoke(found.apiKey);
    },
  };
}

/** Such a key is found by a hash of whom it stands for, and revoking it is final. */
function foreignGrants(database: Database, clock: Clock, keys: Keys): Grants['foreign'] {
  const find = async (hash: string) =>
    (await database.read("SELECT api_key FROM oauth_tokens WHERE hash = ? AND kind = 'foreign'", hash))[0];
  return async ({ issuer, subject, client, person, workspace, scopes }) => {
    const hash = hashOfToken(JSON.stringify([issuer, subject, client, workspace]));
    const found = await find(hash);
    if (found !== undefined) return keys.holder(textColumn(found, 'api_key'));
    const { record } = await keys.create({ workspace, label: client, scopes, client, person });
    const [made = []] = await database.write([
      sql`INSERT INTO oauth_tokens (hash, kind, api_key, data, expires)
          VALUES (${hash}, 'foreign', ${record.id}, '{}', ${clock.now() + FOREIGN_MS})
          ON CONFLICT (hash) DO NOTHING RETURNING hash`,
    ]);
    if (made.length > 0) return keys.holder(record.id);
    // Another request was faster.
    await keys.revoke(record.id);
    return keys.holder(textColumn((await find(hash)) ?? {}, 'api_key'));
  };
}

/** Until then a revoked key keeps its client out. */
const FOREIGN_MS = 10 * 365 * 24 * 3_600_000;

const personBehind =
  (tokens: ReturnType<typeof createTokens>): Grants['personOf'] =>
  async (token, client) => {
    const found = await tokens.find('refresh', token);
    return found?.used === null && found.data.client === client ? found.data.person : undefined;
  };

const isFor = (granted: Granted, shown: Redeeming): boolean =>
  granted.client === shown.client &&
  granted.redirect === shown.redirect &&
  granted.challenge === shown.challenge;

const toToken = rowReader({
  hash: textColumn,
  apiKey: from('api_key', textOrNull),
  used: integerOrNull,
  data: jsonColumn<Granted>(),
});
type StoredToken = ReturnType<typeof toToken>;

function createTokens(database: Database, clock: Clock) {
  return {
    insert: (
      kind: Kind,
      token: string,
      data: object,
      expires: number,
      apiKey?: string,
    ): SqlStatement => sql`INSERT INTO oauth_tokens (hash, kind, api_key, data, expires)
        VALUES (${hashOfToken(token)}, ${kind}, ${apiKey ?? null}, ${JSON.stringify(data)}, ${expires})`,
    remove: ({ hash }: StoredToken): SqlStatement => sql`DELETE FROM oauth_tokens WHERE hash = ${hash}`,
    sweep: (): SqlStatement => sql`DELETE FROM oauth_tokens WHERE expires <= ${clock.now()}`,
    find: async (kind: Kind, token: string): Promise<StoredToken | undefined> => {
      const [row] = await database.read(
        'SELECT * FROM oauth_tokens WHERE hash = ? AND kind = ? AND expires > ?',
        hashOfToken(token),
        kind,
        clock.now(),
      );
      return row === undefined ? undefined : toToken(row);
    },
    /**
     * Uses a one-time token: of two who try at once, one succeeds. A used code is kept for as long as what it
     * gave, so that its second use is noticed.
     */
    take: async ({ hash }: StoredToken, apiKey?: string): Promise<boolean> => {
      const now = clock.now();
      const [taken = []] = await database.write([
        sql`UPDATE oauth_tokens SET used = ${now}, api_key = coalesce(${apiKey ?? null}, api_key),
            expires = CASE WHEN kind = 'code' THEN ${now + LIMITS.accessTokenMs} ELSE expires END
            WHERE hash = ${hash} AND used IS NULL RETURNING hash`,
      ]);
      return taken.length > 0;
    },
  };
}

function createClientStore(database: Database, clock: Clock): Pick<Grants, 'register' | 'client'> {
  return {
    register: async ({ name, redirects }) => {
      const now = clock.now();
      const id = newId('client', now);
      await database.write([sql`DELETE FROM oauth_clients WHERE used < ${now - LIMITS.oauthClientMs}`]);
      const [count] = await database.read('SELECT count(*) AS known FROM oauth_clients');
      if (count !== undefined && integerColumn(count, 'known') >= LIMITS.oauthClientsMax)
        throw new HeadgateError('rate_limited', 'Too many clients have registered.', {
          retryAfterMs: 3_600_000,
        });
      await database.write([
        sql`INSERT INTO oauth_clients (id, name, redirects, created, used)
            VALUES (${id}, ${name}, ${JSON.stringify(redirects)}, ${now}, ${now})`,
      ]);
      return { id, name, redirects };
    },
    client: async (id) => {
      const now = clock.now();
      const [row] = await database.read(
        'SELECT * FROM oauth_clients WHERE id = ? AND used >= ?',
        id,
        now - LIMITS.oauthClientMs,
      );
      if (row === undefined) return undefined;
      if (now - integerColumn(row, 'used') > LIMITS.oauthClientSeenMs)
        await database.write([sql`UPDATE oauth_clients SET used = ${now} WHERE id = ${id}`]);
      const redirects = JSON.parse(textColumn(row, 'redirects')) as string[];
      return { id, name: textColumn(row, 'name'), redirects };
    },
  };
}

/** The SHA-256 of a text in base64url, as PKCE compares it. */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');
