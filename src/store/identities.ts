import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database, DatabaseRow, SqlStatement } from './database.ts';
import { hashOfToken } from './key-format.ts';
import { NO_ROLE, roleOf } from './people.ts';
import { checkedName, integerColumn, newId, textColumn, textOrNull } from './rows.ts';
import type { Admin } from './sessions.ts';

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

/** People who sign in through an identity provider. */
export interface Identities {
  /** Stores a sign-in that has begun, and returns its state. */
  begin(login: Login): Promise<string>;
  /** The sign-in of a state, once, and only in the browser that began it. */
  take(state: string, browser: string): Promise<Login | undefined>;
  /**
   * The person of an account: linked before, of the same name, or invited under it. Undefined for everybody
   * else, and for a name that is linked to another account.
   */
  admit(account: ProviderAccount, person: { name: string }): Promise<Pick<Admin, 'id' | 'name'> | undefined>;
}

export function createIdentities(database: Database, clock: Clock): Identities {
  const one = async (sql: string, ...values: string[]): Promise<DatabaseRow | undefined> =>
    (await database.read(sql, ...values))[0];
  const linked = ({ issuer, subject }: ProviderAccount) =>
    one(
      `SELECT a.id, a.name FROM identities i JOIN admins a ON a.id = i.admin
       WHERE i.issuer = ? AND i.subject = ?`,
      issuer,
      subject,
    );
  const byName = async (name: string, issuer: string): Promise<DatabaseRow | 'taken' | undefined> => {
    const rows = await database.read('SELECT id, name FROM admins WHERE lower(name) = ?', name);
    const [row] = rows;
    if (row === undefined) return undefined;
    const other = 'SELECT subject FROM identities WHERE issuer = ? AND admin = ?';
    return rows.length > 1 || (await one(other, issuer, textColumn(row, 'id'))) !== undefined ? 'taken' : row;
  };
  /** Somebody new, who was invited under this name. */
  const join = async (name: string): Promise<DatabaseRow | undefined> => {
    const [links = []] = await database.write([
      {
        sql: 'DELETE FROM setup_links WHERE lower(person) = ? AND expires > ? RETURNING role, workspace',
        values: [name, clock.now()],
      },
    ]);
    if (links.length === 0) return undefined;
    const id = newId('admin', clock.now());
    const isWhole = (link: DatabaseRow) => textOrNull(link, 'workspace') === null;
    const role = roleOf(links.find(isWhole) ?? { role: NO_ROLE }) ?? NO_ROLE;
    // No password has an empty hash, so there is none with which this person can sign in.
    const [made = []] = await database.write([
      {
        sql: `INSERT INTO admins (id, name, password, created, changed, role) VALUES (?, ?, '', ?, ?, ?)
              ON CONFLICT (name) DO NOTHING RETURNING id, name`,
        values: [id, checkedName(name, 'name'), clock.now(), clock.now(), role],
      },
      ...links
        .filter((link) => !isWhole(link))
        .map((link) => ({
          sql: `INSERT INTO workspace_roles (admin, workspace, role)
                SELECT a.id, ?, ? FROM admins a WHERE a.id = ?`,
          values: [textColumn(link, 'workspace'), textColumn(link, 'role'), id],
        })),
    ]);
    return made[0];
  };
  return {
    ...createLogins(database, clock),
    admit: async (account, { name }) => {
      const known = (await linked(account)) ?? (await byName(name, account.issuer));
      if (known === 'taken') return undefined;
      const row = known ?? (await join(name));
      if (row === undefined) return undefined;
      await database.write([link(account, textColumn(row, 'id'), clock.now())]);
      return { id: textColumn(row, 'id'), name: textColumn(row, 'name') };
    },
  };
}

/** Sign-ins that have begun. */
function createLogins(database: Database, clock: Clock): Pick<Identities, 'begin' | 'take'> {
  return {
    begin: async (login) => {
      const state = randomBytes(32).toString('base64url');
      const now = clock.now();
      await database.write([{ sql: 'DELETE FROM oauth_tokens WHERE expires <= ?', values: [now] }]);
      const [count] = await database.read("SELECT count(*) AS open FROM oauth_tokens WHERE kind = 'login'");
      if (count !== undefined && integerColumn(count, 'open') >= LIMITS.authorizationsMax)
        throw new HeadgateError('rate_limited', 'Too many sign-ins are under way.', { retryAfterMs: 60_000 });
      await database.write([
        {
          sql: "INSERT INTO oauth_tokens (hash, kind, data, expires) VALUES (?, 'login', ?, ?)",
          values: [hashOfToken(state), JSON.stringify(login), now + LIMITS.authorizationMs],
        },
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

const link = ({ issuer, subject }: ProviderAccount, admin: string, now: number): SqlStatement => ({
  sql: `INSERT INTO identities (issuer, subject, admin, managed, checked) VALUES (?, ?, ?, 0, ?)
        ON CONFLICT (issuer, subject) DO UPDATE SET admin = excluded.admin, checked = excluded.checked`,
  values: [issuer, subject, admin, now],
});
