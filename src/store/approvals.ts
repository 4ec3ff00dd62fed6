import { randomInt } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LEAK_LIMITS } from '../core/leak-limits.ts';
import { asked, own } from '../core/own-text.ts';
import { sql, type Database } from './database.ts';
import { hashOf, lockPayers, type LeakOwner } from './leaks.ts';
import { integerColumn, listRows, rowReader, textColumn, textOrNull, wordColumn } from './rows.ts';

/** An address that a person is asked about. */
export type Approval = ReturnType<typeof toApproval>;

const toApproval = rowReader({
  code: textColumn,
  url: textColumn,
  /** Why it was not read at once. */
  reason: textColumn,
  workspace: textOrNull,
  agent: textOrNull,
  key: textOrNull,
  state: wordColumn<'pending' | 'approved' | 'denied'>(),
  created: integerColumn,
  expires: integerColumn,
});

/** Questions to people. A code is for one caller and one address, once, and expires. */
export interface Approvals {
  /** Asks, or finds the question that was asked before; undefined when too many are open. */
  ask(
    who: LeakOwner,
    about: Pick<Approval, 'url' | 'reason'> & Partial<Pick<Approval, 'workspace' | 'agent' | 'key'>>,
  ): Promise<Approval | undefined>;
  /** Uses up an approval; false without one. */
  use(who: LeakOwner, url: string): Promise<boolean>;
  /** Those that wait for an answer, of some workspaces or of all. */
  list(workspaces?: string | readonly string[]): Promise<Approval[]>;
  decide(code: string, isApproved: boolean): Promise<Approval>;
}

export function createApprovals(database: Database, clock: Clock): Approvals {
  const { approvalMs, approvalsPerCallerMax } = LEAK_LIMITS;
  return {
    ask: async ({ owner }, { url, reason, workspace = null, agent = null, key = null }) => {
      const now = clock.now();
      const address = hashOf(owner, url);
      const given = [newCode(), owner, address, url, reason, workspace, agent, key];
      await database.write([
        lockPayers([owner], now),
        sql`DELETE FROM approvals WHERE expires <= ${now}`,
        {
          sql: `INSERT INTO approvals (code, owner, address, url, reason, workspace, agent, key, state, created, expires)
                SELECT ${given.map(() => 'CAST(? AS TEXT)').join(', ')}, 'pending', CAST(? AS BIGINT), CAST(? AS BIGINT)
                WHERE (SELECT COUNT(*) FROM approvals WHERE owner = ?) < ? ON CONFLICT DO NOTHING`,
          values: [...given, now, now + approvalMs, owner, approvalsPerCallerMax],
        },
      ]);
      const [row] = await database.read(
        'SELECT * FROM approvals WHERE owner = ? AND address = ?',
        owner,
        address,
      );
      return row === undefined ? undefined : toApproval(row);
    },
    use: async ({ owner }, url) => {
      const sql =
        "DELETE FROM approvals WHERE owner = ? AND address = ? AND state = 'approved' AND expires > ? RETURNING code";
      const [rows] = await database.write([{ sql, values: [owner, hashOf(owner, url), clock.now()] }]);
      return (rows ?? []).length > 0;
    },
    list: async (workspaces) => {
      const now = clock.now();
      const rows = await listRows(database, 'approvals', { column: 'workspace', ids: workspaces }, 'code');
      return rows.map(toApproval).filter(({ state, expires }) => state === 'pending' && expires > now);
    },
    decide: async (code, isApproved) => {
      const now = clock.now();
      const sql = `UPDATE approvals SET state = ?, expires = ? WHERE code = ? AND state = 'pending' AND expires > ? RETURNING *`;
      const values = [isApproved ? 'approved' : 'denied', now + approvalMs, plainCode(code), now];
      const [row] = (await database.write([{ sql, values }]))[0] ?? [];
      if (row !== undefined) return toApproval(row);
      throw new HeadgateError('not_found', own`Nothing waits for an answer under the code ${asked(code)}.`, {
        remediation: 'Codes expire after an hour. `headgate policy approvals` lists those that wait.',
      });
    },
  };
}

/** Characters that are not mistaken for each other. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_CHARS = 12;

/** 58 random bits, in groups that can be read aloud. */
const newCode = (): string =>
  grouped(Array.from({ length: CODE_CHARS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''));

const grouped = (text: string): string => text.replace(/.{4}(?=.)/g, '$&-');

/** A code as it is stored, however it was typed. */
const plainCode = (text: string): string => grouped(text.toUpperCase().replace(/[^0-9A-Z]/g, ''));
