import type { Call } from '../../core/call.ts';
import type { HeadgateError } from '../../core/errors.ts';
import { outcomeOf, type Attempt } from '../../core/outcome.ts';
import { statusOf } from './error-response.ts';
import type { RecentCall } from './recent.ts';
import type { GatewayContext } from './context.ts';

/** What every answer of an operation reports about itself. */
export interface CallFacts {
  outcome?: string;
  attempts?: Attempt[];
  credits?: number;
  cached?: boolean;
}

/** Counts a call and adds it to the recent calls: who called and how it went, not what was asked. */
export function noteCall(
  { services, metrics, recent }: GatewayContext,
  operation: string,
  surface: RecentCall['surface'] = 'http',
) {
  const at = services.clock.now();
  let call: Pick<Call, 'requestId' | 'caller'> | undefined;
  const note = (facts: CallFacts, status: number, code?: string): void => {
    const { outcome = 'ok', attempts = [], credits = 0, cached = false } = facts;
    const labels = { operation, outcome, cached: String(cached), surface };
    metrics.count('headgate_calls_total', 'Calls by operation and outcome.', labels);
    for (const attempt of attempts) {
      const tried = { provider: attempt.provider, outcome: attempt.outcome };
      metrics.count('headgate_attempts_total', 'Attempts at providers by outcome.', tried);
    }
    if (credits > 0)
      metrics.count('headgate_credits_total', 'Credits that providers charged.', { operation }, credits);
    const entry: RecentCall = {
      at,
      requestId: call?.requestId ?? '',
      surface,
      operation,
      status,
      ms: services.clock.now() - at,
      workspace: call?.caller.workspace ?? null,
      agent: call?.caller.agent ?? null,
      key: call?.caller.key ?? null,
      outcome,
      ...(code === undefined ? {} : { code }),
      cached,
      credits,
      attempts,
    };
    recent.add(entry);
  };
  return {
    get requestId() {
      return call?.requestId;
    },
    begin: (begun: Pick<Call, 'requestId' | 'caller'>) => {
      call = begun;
    },
    done: (facts: CallFacts) => note(facts, 200),
    failed: (error: HeadgateError) => {
      metrics.count('headgate_failures_total', 'Calls that failed, by code.', {
        operation,
        code: error.code,
      });
      const attempts = error.data['attempts'] as Attempt[] | undefined;
      const facts = { outcome: outcomeOf(error), ...(attempts === undefined ? {} : { attempts }) };
      note(facts, statusOf(error), error.code);
    },
  };
}
