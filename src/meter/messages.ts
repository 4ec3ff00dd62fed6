import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { formatUsd } from '../core/money.ts';
import { WINDOW_WORDS } from '../core/window.ts';
import { plural } from '../core/text.ts';
import type { HoldOperation, LedgerAnswer } from '../store/ledger/types.ts';
import { rollingHours } from '../store/ledger/budget.ts';
import { LOCAL } from './tiers.ts';

export type Refusal = Exclude<
  LedgerAnswer,
  { status: 'held' | 'begun' | 'replay' | 'committed' | 'resolved' | 'granted' }
>;

/** A refusal as an error: the reason, the numbers, when it resets and what to do. */
export function refusalError(
  refusal: Refusal,
  now: number,
  asked: Pick<HoldOperation, 'workspace' | 'tiers'> = { workspace: null, tiers: {} },
): HeadgateError {
  switch (refusal.status) {
    case 'limit':
      return limitReached(refusal, now);
    case 'budget':
      return budgetUsedUp(refusal, now);
    case 'insufficient':
      return insufficientCredits(refusal);
    case 'mismatch':
      return new HeadgateError(
        'idempotency_mismatch',
        'This idempotency key was used before with another request.',
        { remediation: 'Use a new key for a new request. Nothing was charged.' },
      );
    case 'in_progress':
      return new HeadgateError('in_progress', 'A call with this idempotency key is still running.', {
        remediation: 'Wait for it and ask again with the same key to get its answer.',
        retryAfterMs: 1_000,
      });
    case 'ended':
      return new HeadgateError(
        'storage_unavailable',
        'The reservation of this call ended before it was used.',
        {
          remediation:
            'No provider was asked. Try again; if it happens often, compare the clocks of the gateways.',
          retryAfterMs: 1_000,
        },
      );
    case 'overflow':
      return new HeadgateError('invalid_request', 'The amount is too large to be booked.', {
        remediation: 'Ask for less in one call.',
      });
    case 'unknown':
      return unknownOf(refusal.what, asked);
  }
}

function limitReached(refusal: Extract<Refusal, { status: 'limit' }>, now: number): HeadgateError {
  const { unit, limit, used, resetInMs } = refusal;
  const resetAt = resetInMs === null ? null : now + resetInMs;
  const what = unit === 'calls' ? 'call' : 'credit';
  const next =
    resetAt === null
      ? 'Waiting does not help: the limit is lower than this call needs.'
      : `The next slot frees at ${new Date(resetAt).toISOString()} (${waitOf(resetAt - now)}).`;
  return new HeadgateError(
    'limit_reached',
    own`Limit reached: ${used} of ${plural(limit, what)} used in the ${named(WINDOW_WORDS)}. ${named(next)}`,
    {
      remediation:
        'Wait until then, use a free provider, or ask the operator for a higher limit or a paid tier.',
      ...(resetAt === null ? {} : { retryAfterMs: Math.max(0, resetAt - now) }),
      data: { unit, limit, used, resetAt: resetAt === null ? null : new Date(resetAt).toISOString() },
    },
  );
}

function budgetUsedUp(refusal: Extract<Refusal, { status: 'budget' }>, now: number): HeadgateError {
  const { id, level, subject, unit, amount, used, period, renewsInMs } = refusal.budget;
  const said = (value: number): string => (unit === 'money' ? formatUsd(value) : plural(value, 'credit'));
  // Periods end with a second; this clock and the store's differ by less.
  const resetAt =
    renewsInMs === null ? null : new Date(Math.round((now + renewsInMs) / 1_000) * 1_000).toISOString();
  const next =
    resetAt === null
      ? 'Waiting does not help: the budget is smaller than this call needs.'
      : `It renews at ${resetAt} (${waitOf(renewsInMs ?? 0)}).`;
  const rolling = rollingHours(period);
  const per = rolling === undefined ? `this ${period}` : `in the last ${plural(rolling, 'hour')}`;
  const before = unit === 'money' ? said(used) : `${used}`;
  return new HeadgateError(
    'limit_reached',
    own`Budget used up: ${named(before)} of ${named(said(amount))} used ${named(per)} by the ${named(level)} ${named(subject)}; this call needs up to ${named(said(refusal.required))}. ${named(next)}`,
    {
      remediation: 'Wait until then, use a free provider, or ask the operator to raise the budget.',
      ...(renewsInMs === null ? {} : { retryAfterMs: Math.max(0, renewsInMs) }),
      data: { budget: id, level, subject, unit, limit: amount, used, required: refusal.required, resetAt },
    },
  );
}

function insufficientCredits(refusal: Extract<Refusal, { status: 'insufficient' }>): HeadgateError {
  const { available, required, limit, used } = refusal;
  return new HeadgateError(
    'insufficient_credits',
    own`Insufficient credits: this call needs up to ${named(formatUsd(required))}, ${named(formatUsd(available))} is available (${used} calls in the ${WINDOW_WORDS}; ${limit} are free).`,
    {
      remediation: 'Add credits to the workspace, wait for free calls, or use a free provider.',
      data: { balance: available, required, limit, used },
    },
  );
}

/** The provider answered, but it is unknown whether the charge was written. */
export function bookingLost(thrown: unknown): HeadgateError {
  const { message, retryAfterMs } = HeadgateError.from(thrown);
  return new HeadgateError('storage_unavailable', message, {
    remediation:
      'The provider answered, but the charge could not be written, so the answer is not delivered. The operator sees it as in doubt. Try again shortly.',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: thrown,
  });
}

/** What nobody pays for is not delivered. */
export function answeredTooLate(): HeadgateError {
  return new HeadgateError(
    'deadline_exceeded',
    'The provider answered when the operator had already closed this request as in doubt.',
    { remediation: 'Nothing was charged for it. Ask again.' },
  );
}

export function answerNotKept(): HeadgateError {
  return new HeadgateError(
    'conflict',
    'This call ran before and was booked once, but its answer was not stored.',
    { remediation: 'Use a new idempotency key to run it again.' },
  );
}

function unknownOf(
  what: 'subscription' | 'tier' | 'hold',
  { workspace, tiers }: Pick<HoldOperation, 'workspace' | 'tiers'>,
): HeadgateError {
  if (what === 'tier') {
    const names = Object.keys(tiers).filter((name) => name !== LOCAL);
    return new HeadgateError(
      'conflict',
      own`The workspace ${named(workspace ?? LOCAL)} has a tier that does not exist.`,
      {
        remediation: own`Ask the operator to run \`headgate workspace set ${named(workspace ?? LOCAL)} --tier ${named(names.join('|'))}\`.`,
      },
    );
  }
  return new HeadgateError('not_found', `The store does not know this ${what}.`, {
    remediation: what === 'hold' ? 'It was never taken.' : 'Create it first.',
  });
}

/** `in 12 days`, `in 3 h 12 min`, `in 5 min`; at least a minute. */
function waitOf(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `in ${Math.floor(hours / 24)} days`;
  return minutes < 60 ? `in ${minutes} min` : `in ${hours} h ${minutes % 60} min`;
}
