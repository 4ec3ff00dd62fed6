import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { sql, type Database, type DatabaseRow, type SqlStatement, type SqlValue } from './database.ts';
import { hashOfToken } from './key-format.ts';
import { NO_ROLE, roleOf } from './people.ts';
import {
  checkedName,
  flagColumn,
  from,
  integerColumn,
  integerOrNull,
  newId,
  rowReader,
  textColumn,
  textOrNull,
} from './rows.ts';

/** A sign-in at the identity provider that has begun. */
export interface Login {
  nonce: string;
  verifier: string;
  /** The hash of a cookie: only the browser that began may come back. */
  browser: string;
  /** The page of the console to return to. */
  to: string;
}

/** An account at an identity provider. */
export interface ProviderAccount {
  issuer: string;
  subject: string;
}

/** The account of a person here. */
export type LinkedAccount = ReturnType<typeof toLinked>;

const toLinked = rowReader({
  issuer: textColumn,
  subject: textColumn,
  /** The person's ID and name. */
  admin: textColumn,
  person: textColumn,
  /** When they were archived; they cannot sign in since then. */
  archived: integerOrNull,
  /** Whether the roles of this person come from groups at the provider. */
  isManaged: from('managed', flagColumn),
  /** The encrypted refresh token of the provider, if there is one. */
  refresh: textOrNull,
  /** When the provider last vouched for this person. */
  checked: integerColumn,
});

/** People who sign in through an identity provider. */
export interface Identities {
  /** Stores a sign-in that has begun, and returns its state. */
  begin(login: Login): Promise<string>;
  /** The sign-in of a state, once, and only in the browser that began it. */
  take(state: string, browser: string): Promise<Login | undefined>;
  /**
   * Links an account to a person: linked before, of the same name, or invited under it; with `mayJoin` also
   * somebody new, without a role. Undefined for everybody else, and for a name that is linked to another account.
   * Only a proven address is enough to become somebody who has a password: any account may be called `admin`.
   */
  admit(
    account: ProviderAccount,
    person: { name: string; mayJoin: boolean; isProven: boolean },
  ): Promise<LinkedAccount | undefined>;
  find(account: ProviderAccount): Promise<LinkedAccount | undefined>;
  of(person: string, issuer: string): Promise<LinkedAccount | undefined>;
  /** Of several who want to ask the provider about an account at once, true for one. */
  lease(account: ProviderAccount): Promise<boolean>;
  release(account: ProviderAccount): Promise<void>;
  /** Notes that the provider vouches for this account now. */
  save(account: ProviderAccount, change: Pick<LinkedAccount, 'refresh' | 'isManaged'>): Promise<void>;
  /** Ends the sessions and clients of a person for whom the provider no longer vouches. */
  end(account: LinkedAccount): Promise<void>;
}

export function createIdentities(database: Database, clock: Clock): Identities {
  const one = async (sql: string, ...values: string[]): Promise<DatabaseRow | undefined> =>
    (await database.read(sql, ...values))[0];
  const find = async ({ issuer, subject }: ProviderAccount): Promise<LinkedAccount | undefined> => {
    const row = await one(`${LINKED} WHERE i.issuer = ? AND i.subject = ?`, issuer, subject);
    return row === undefined ? undefined : toLinked(row);
  };
  const byName = async (
    name: string,
    issuer: string,
    isProven: boolean,
  ): Promise<DatabaseRow | 'taken' | undefined> => {
    const rows = await database.read('SELECT id, name, password FROM admins WHERE lower(name) = ?', name);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (!isProven && textColumn(row, 'password') !== '') return 'taken';
    const other = 'SELECT subject FROM identities WHERE issuer = ? AND admin = ?';
    return rows.length > 1 || (await one(other, issuer, textColumn(row, 'id'))) !== undefined ? 'taken' : row;
  };
  /** Somebody new, who was invited under this name or needs no invitation. */
  const join = async (name: string, mayJoin: boolean): Promise<DatabaseRow | undefined> => {
    const [links = []] = await database.write([
      sql`DELETE FROM setup_links WHERE lower(person) = ${name} AND expires > ${clock.now()}
          RETURNING role, workspace`,
    ]);
    if (links.length === 0 && !mayJoin) return undefined;
    const id = newId('admin', clock.now());
    const isWhole = (link: DatabaseRow) => textOrNull(link, 'workspace') === null;
    const role = roleOf(links.find(isWhole) ?? { role: NO_ROLE }) ?? NO_ROLE;
    // No password has an empty hash, so there is none with which this person can sign in.
    const [made = []] = await database.write([
      sql`INSERT INTO admins (id, name, password, created, changed, role)
          VALUES (${id}, ${checkedName(name, 'name')}, '', ${clock.now()}, ${clock.now()}, ${role})
          ON CONFLICT (name) DO NOTHING RETURNING id, name`,
      ...links
        .filter((link) => !isWhole(link))
        .map(
          (link) => sql`INSERT INTO workspace_roles (admin, workspace, role) SELECT a.id,
            ${textColumn(link, 'workspace')}, ${textColumn(link, 'role')} FROM admins a WHERE a.id = ${id}`,
        ),
    ]);
    return made[0];
  };
  return {
    ...createLogins(database, clock),
    admit: async (account, { name, mayJoin, isProven }) => {
      const before = await find(account);
      if (before !== undefined) return before;
      const known = await byName(name, account.issuer, isProven);
      const row = known === 'taken' ? undefined : (known ?? (await join(name, mayJoin)));
      if (row === undefined) return undefined;
      await database.write([
        { sql: 'DELETE FROM identities WHERE admin NOT IN (SELECT id FROM admins)' },
        link(account, textColumn(row, 'id')),
      ]);
      return find(account);
    },
    find,
    of: async (person, issuer) => {
      const row = await one(`${LINKED} WHERE a.name = ? AND i.issuer = ?`, person, issuer);
      return row === undefined ? undefined : toLinked(row);
    },
    ...createChecks(database, clock),
  };
}

const LINKED = `SELECT i.*, a.name AS person, a.archived AS archived
  FROM identities i JOIN admins a ON a.id = i.admin`;

/** A gateway that dies while it asks the provider keeps others from it for this long. */
const LEASE_MS = 3 * LIMITS.issuerMs;

/** What the provider said of accounts. */
function createChecks(
  database: Database,
  clock: Clock,
): Pick<Identities, 'lease' | 'release' | 'save' | 'end'> {
  const change = (account: ProviderAccount, what: string, ...values: SqlValue[]): SqlStatement => ({
    sql: `UPDATE identities SET ${what} WHERE issuer = ? AND subject = ?`,
    values: [...values, account.issuer, account.subject],
  });
  return {
    lease: async (account) => {
      const { sql, values = [] } = change(account, 'lease = ?', clock.now() + LEASE_MS);
      const [taken = []] = await database.write([
        { sql: `${sql} AND lease <= ? RETURNING issuer`, values: [...values, clock.now()] },
      ]);
      return taken.length > 0;
    },
    release: async (account) => {
      await database.write([change(account, 'lease = 0')]);
    },
    save: async (account, { refresh, isManaged }) => {
      const what = 'refresh = ?, managed = ?, checked = ?, lease = 0';
      await database.write([change(account, what, refresh, isManaged ? 1 : 0, clock.now())]);
    },
    end: async (account) => {
      await database.write([
        change(account, 'refresh = NULL, checked = 0, lease = 0'),
        sql`DELETE FROM sessions WHERE admin = ${account.admin}`,
        sql`UPDATE api_keys SET revoked = ${clock.now()} WHERE person = ${account.person}
            AND client IS NOT NULL AND revoked IS NULL`,
      ]);
    },
  };
}

/** Sign-ins that have begun. */
function createLogins(database: Database, clock: Clock): Pick<Identities, 'begin' | 'take'> {
  return {
    begin: async (login) => {
      const state = randomBytes(32).toString('base64url');
      const now = clock.now();
      await database.write([sql`DELETE FROM oauth_tokens WHERE expires <= ${now}`]);
      const [count] = await database.read("SELECT count(*) AS open FROM oauth_tokens WHERE kind = 'login'");
      if (count !== undefined && integerColumn(count, 'open') >= LIMITS.authorizationsMax)
        throw new HeadgateError('rate_limited', 'Too many sign-ins are under way.', { retryAfterMs: 60_000 });
      await database.write([
        sql`INSERT INTO oauth_tokens (hash, kind, data, expires)
            VALUES (${hashOfToken(state)}, 'login', ${JSON.stringify(login)},
            ${now + LIMITS.authorizationMs})`,
      ]);
      return state;
    },
    take: async (state, browser) => {
      const found = "hash = ? AND kind = 'login' AND expires > ?";
      const values = [hashOfToken(state), clock.now()];
      const [row] = await database.read(`SELECT data FROM oauth_tokens WHERE ${found}`, ...values);
      const login = row === undefined ? undefined : (JSON.parse(textColumn(row, 'data')) as Login);
      // Another browser uses nothing up, so nobody can end the sign-in of somebody else.
      if (login?.browser !== browser) return undefined;
      const [taken = []] = await database.write([
        { sql: `DELETE FROM oauth_tokens WHERE ${found} RETURNING hash`, values },
      ]);
      return taken.length === 0 ? undefined : login;
    },
  };
}

const link = (
  { issuer, subject }: ProviderAccount,
  admin: string,
): SqlStatement => sql`INSERT INTO identities (issuer, subject, admin, managed, checked)
    VALUES (${issuer}, ${subject}, ${admin}, 0, 0) ON CONFLICT (issuer, subject) DO UPDATE
    SET admin = excluded.admin, managed = 0`;
