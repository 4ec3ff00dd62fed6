import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { KEY_SCOPES, type KeyScope } from '../core/grant.ts';
import { readAgentSettings, type AgentSettings } from './agent-settings.ts';
import { noteEvent } from './events.ts';
import { sql, type Database, type DatabaseRow } from './database.ts';
import { archivedRefusal } from './lifecycle.ts';
import { checkedNetworks } from './networks.ts';
import { hashOfKey, hashOfToken, isAccessToken, isKeyHash, keyIdOf, newApiKey } from './key-format.ts';
import {
  checkedName,
  from,
  integerColumn,
  integerOrNull,
  listRows,
  rowById,
  rowReader,
  textColumn,
  textOrNull,
} from './rows.ts';

/** An API key without its secret. */
export type ApiKey = ReturnType<typeof toKey>;

const wordsIn = (row: DatabaseRow, column: string): string[] =>
  textColumn(row, column)
    .split(' ')
    .filter((word) => word !== '');

const toKey = rowReader({
  id: textColumn,
  workspace: textColumn,
  agent: textOrNull,
  label: textColumn,
  scopes: (row) =>
    wordsIn(row, 'scopes').filter((scope): scope is KeyScope => KEY_SCOPES.includes(scope as KeyScope)),
  /** The client that a person signed in to, and that person; null for a key that was created. */
  client: textOrNull,
  person: textOrNull,
  created: integerColumn,
  expires: integerOrNull,
  revoked: integerOrNull,
  archived: integerOrNull,
  /** Its last use, noted every ten seconds. */
  lastUsed: from('used', integerOrNull),
  /** Addresses and ranges from which it may be used; empty means everywhere. */
  networks: wordsIn,
});

/** The workspace and agent that a key belongs to. */
export interface KeyHolder extends ApiKey {
  subscription: string;
  tier: string;
  /** The settings of the key's agent; absent for a key without an agent. */
  settings?: AgentSettings;
  /** The address that an access token is for; absent for a key, which may be used everywhere. */
  resource?: string;
}

export interface Keys {
  /** Creates a key. This is the only time that the key itself is returned. */
  create(input: {
    workspace: string;
    label: string;
    scopes?: KeyScope[];
    agent?: string;
    expires?: number;
    client?: string;
    person?: string;
    networks?: string[];
  }): Promise<{ key: string; record: ApiKey }>;
  /** Creates a key like this one, which expires after the grace period. */
  rotate(id: string, graceMs: number): Promise<{ key: string; record: ApiKey; old: ApiKey }>;
  /**
   * Throws `unauthenticated` for a key that is malformed, unknown, expired or revoked; always with the same
   * message.
   */
  authenticate(key: string): Promise<KeyHolder>;
  /** The holder of a key by its ID, for somebody who was identified in another way; throws like `authenticate`. */
  holder(id: string): Promise<KeyHolder>;
  /** Whether any key was ever created. */
  any(): Promise<boolean>;
  list(workspace?: string | readonly string[]): Promise<ApiKey[]>;
  get(id: string): Promise<ApiKey>;
  revoke(id: string): Promise<ApiKey>;
}

/** How exact the last use is. */
const NOTE_USE_MS = 10_000;

const DEFAULT_SCOPES: KeyScope[] = ['search', 'extract', 'crawl', 'research', 'tools'];

export function createKeys(database: Database, clock: Clock, pepper = ''): Keys {
  const get = async (id: string) => toKey(await rowById(database, 'api_keys', id, 'key'));
  const noteUse = (holder: KeyHolder) => {
    const now = clock.now();
    if (holder.lastUsed !== null && now - holder.lastUsed < NOTE_USE_MS && now >= holder.lastUsed) return;
    // The last use is only informative: the call neither waits for it nor fails with it.
    database.write([sql`UPDATE api_keys SET used = ${now} WHERE id = ${holder.id}`]).catch(() => undefined);
  };
  const valid = (row: DatabaseRow): KeyHolder => {
    const holder = toHolder(row);
    const isExpired = holder.expires !== null && holder.expires <= clock.now();
    if (isExpired || holder.revoked !== null) throw refused();
    refuseArchived(row);
    noteUse(holder);
    return holder;
  };
  const holderOfToken = async (token: string): Promise<KeyHolder> => {
    const [row] = await database.read(TOKEN_HOLDER, hashOfToken(token), clock.now());
    if (row === undefined) throw refused();
    const { resource } = JSON.parse(textColumn(row, 'data')) as { resource: string };
    refuseArchived(row);
    const holder = { ...toHolder(row), resource };
    noteUse(holder);
    return holder;
  };
  const create = creating(database, clock, pepper);
  return {
    get,
    create,
    rotate: rotating(database, clock, { get, create }),
    authenticate: async (key) => {
      if (isAccessToken(key)) return holderOfToken(key);
      const id = keyIdOf(key);
      const [row] = id === undefined ? [] : await database.read(HOLDER, id);
      const isSame = isKeyHash(row === undefined ? undefined : textColumn(row, 'hash'), key, pepper);
      if (row === undefined || !isSame) throw refused();
      return valid(row);
    },
    holder: async (id) => {
      const [row] = await database.read(HOLDER, id);
      if (row === undefined) throw refused();
      return valid(row);
    },
    any: async () => (await database.read('SELECT id FROM api_keys LIMIT 1')).length > 0,
    list: async (workspace) =>
      (await listRows(database, 'api_keys', { column: 'workspace', ids: workspace })).map(toKey),
    revoke: async (id) => {
      const { workspace, label, person } = await get(id);
      await database.write([
        sql`UPDATE api_keys SET revoked = coalesce(revoked, ${clock.now()}) WHERE id = ${id}`,
        keyEvent('key.revoked', { id, workspace, label, person }, clock.now()),
      ]);
      return get(id);
    },
  };
}

function creating(database: Database, clock: Clock, pepper: string): Keys['create'] {
  return async (input) => {
    const {
      workspace,
      label,
      scopes = DEFAULT_SCOPES,
      agent,
      expires,
      client,
      person,
      networks = [],
    } = input;
    await rowById(database, 'workspaces', workspace, 'workspace');
    if (agent !== undefined) await rowById(database, 'agents', agent, 'agent');
    const { id, key } = newApiKey();
    await database.write([
      sql`INSERT INTO api_keys (id, workspace, agent, label, scopes, hash, created, expires, client, person,
          networks) VALUES (${id}, ${workspace}, ${agent ?? null}, ${checkedName(label, 'label')},
          ${scopes.join(' ')}, ${hashOfKey(key, pepper)}, ${clock.now()}, ${expires ?? null},
          ${client ?? null}, ${person ?? null}, ${checkedNetworks(networks).join(' ')})`,
      keyEvent('key.created', { id, workspace, label, person: person ?? null }, clock.now()),
    ]);
    return { key, record: toKey(await rowById(database, 'api_keys', id, 'key')) };
  };
}

const keyEvent = (
  kind: 'key.created' | 'key.revoked',
  { id, workspace, ...data }: Pick<ApiKey, 'id' | 'workspace' | 'label' | 'person'>,
  at: number,
) => noteEvent({ kind, subject: id, period: 0, threshold: 0, workspace, data, at });

function rotating(
  database: Database,
  clock: Clock,
  { get, create }: Pick<Keys, 'get' | 'create'>,
): Keys['rotate'] {
  return async (id, graceMs) => {
    const { agent, expires, revoked, client, person, ...same } = await get(id);
    const end = clock.now() + graceMs;
    if (client !== null || revoked !== null || (expires !== null && expires <= clock.now()))
      throw new HeadgateError('invalid_request', 'Only a key that is still valid can be rotated.', {
        remediation: 'Create a new one.',
      });
    const made = await create({
      ...same,
      agent: agent ?? undefined,
      expires: expires ?? undefined,
      person: person ?? undefined,
    });
    await database.write([
      sql`UPDATE api_keys SET expires = ${end} WHERE id = ${id} AND (expires IS NULL OR expires > ${end})`,
    ]);
    return { ...made, old: await get(id) };
  };
}

const JOINED = `JOIN workspaces w ON w.id = k.workspace JOIN subscriptions s ON s.id = w.subscription
  LEFT JOIN agents a ON a.id = k.agent LEFT JOIN admins p ON p.name = k.person`;
const COLUMNS = `k.*, w.subscription AS subscription, s.tier AS tier, a.settings AS settings,
  w.archived AS workspace_archived, a.archived AS agent_archived, p.archived AS person_archived`;
const HOLDER = `SELECT ${COLUMNS} FROM api_keys k ${JOINED} WHERE k.id = ?`;
const TOKEN_HOLDER = `SELECT ${COLUMNS}, t.data AS data
  FROM oauth_tokens t JOIN api_keys k ON k.id = t.api_key ${JOINED}
  WHERE t.hash = ? AND t.kind = 'access' AND t.expires > ? AND k.revoked IS NULL`;

/** Says what is archived: whoever holds the key may know. */
function refuseArchived(row: DatabaseRow): void {
  if (integerOrNull(row, 'archived') !== null) throw archivedRefusal('key');
  for (const kind of ['workspace', 'agent', 'person'] as const)
    if (integerOrNull(row, `${kind}_archived`) !== null) throw archivedRefusal(kind);
}

function refused(): HeadgateError {
  return new HeadgateError('unauthenticated', 'The API key is not valid.', {
    remediation: 'Check the key, or ask the operator of this gateway for a new one.',
  });
}

function toHolder(row: DatabaseRow): KeyHolder {
  const settings = textOrNull(row, 'settings');
  return {
    ...toKey(row),
    subscription: textColumn(row, 'subscription'),
    tier: textColumn(row, 'tier'),
    ...(settings === null ? {} : { settings: readAgentSettings(settings) }),
  };
}
