import { HeadgateError } from '../../core/errors.ts';
import { named } from '../../core/own-text.ts';
import { unavailable } from '../ledger/batch-queue.ts';

/** Serialization failure, deadlock, lock not available. */
const CONTENTION = new Set(['40001', '40P01', '55P03']);

const stateOf = (thrown: unknown): string | undefined => {
  const code = (thrown as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
};

/**
 * True when the same batch may be sent again. Contention leaves nothing behind; after a lost connection the
 * batch may have been committed, but ledger operations are idempotent.
 */
export function isWorthRetrying(thrown: unknown): boolean {
  if (thrown instanceof HeadgateError) return false;
  const state = stateOf(thrown);
  if (state === undefined) return !/timeout/i.test((thrown as Error).message);
  return (
    CONTENTION.has(state) || state.startsWith('08') || state.startsWith('57P') || /^E[A-Z]+$/.test(state)
  );
}

/** True when an operation of a batch violated a rule of the schema, so that each must be tried alone. */
export const isViolation = (thrown: unknown): boolean => stateOf(thrown)?.startsWith('23') === true;

/**
 * True when the database lacks commits that it acknowledged to this gateway, as after a failover to a stale
 * replica. Admission stops, because it is unknown what else is missing.
 */
export const isBehind = (thrown: unknown): boolean => stateOf(thrown) === 'HG001';

/** Messages for refused connections, by SQLSTATE and never by text. Role names are not shown to callers. */
const REFUSALS: Record<string, readonly [message: string, remediation: string]> = {
  '28P01': ['PostgreSQL refuses the password of the role.', 'Check the password in [store] url.'],
  '28000': ['PostgreSQL rejects this role.', 'Check the role in [store] url, and pg_hba.conf.'],
  '3D000': ['PostgreSQL has no database of this name.', 'Create it, or correct the name in [store] url.'],
  '42501': [
    'The PostgreSQL role may not use this database.',
    'Grant it the right to connect and to create tables: `GRANT ALL ON DATABASE … TO …`.',
  ],
  '53300': ['PostgreSQL has no free connections.', 'Raise max_connections, or close other clients.'],
};

function refusalOf(thrown: unknown): HeadgateError | undefined {
  const refusal = REFUSALS[isWithoutPassword(thrown) ? '28P01' : (stateOf(thrown) ?? '')];
  if (refusal === undefined) return undefined;
  const [message, remediation] = refusal;
  return new HeadgateError('storage_unavailable', named(message), {
    remediation: named(remediation),
    cause: thrown,
  });
}

/** The client library gives up by itself, without a SQLSTATE, when a password is asked for and none is set. */
const isWithoutPassword = (thrown: unknown): boolean =>
  thrown instanceof Error && /^SASL: .*client password must be/.test(thrown.message);

/** The failure for a connection that could not be made. */
export const connectionError = (thrown: unknown): HeadgateError =>
  refusalOf(thrown) ?? unavailable('PostgreSQL cannot be reached', thrown);

export function postgresError(thrown: unknown): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  if (isViolation(thrown)) {
    return new HeadgateError('conflict', 'The store refused the change: it contradicts what is stored.', {
      remediation: 'Check the ids: something does not exist, or exists already.',
      cause: thrown,
    });
  }
  if (isBehind(thrown)) {
    return new HeadgateError('storage_unavailable', 'PostgreSQL has lost acknowledged transactions.', {
      remediation:
        'A failover has lost data: compare the ledger with the old primary, then restart the gateway. Synchronous replication prevents it.',
      cause: thrown,
    });
  }
  const state = stateOf(thrown);
  if (state === '57014' || state === '55P03') return unavailable('PostgreSQL is too slow', thrown);
  return refusalOf(thrown) ?? unavailable('PostgreSQL reports an error', thrown);
}
