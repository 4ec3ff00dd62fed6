import type { Call } from '../../core/call.ts';
import type { HeadgateError } from '../../core/errors.ts';
import { outcomeOf, type Attempt } from '../../core/outcome.ts';
import type { CallFacts } from '../../operations/noted.ts';
import type { GatewayContext } from './context.ts';

/** Counts a call for the metrics. The call log is written where the call runs (`noted`). */
export function noteCall(
  { metrics }: Pick<GatewayContext, 'metrics'>,
  operation: string,
  surface: 'http' | 'mcp' = 'http',
) {
  let call: Pick<Call, 'requestId'> | undefined;
  const note = ({ outcome = 'ok', attempts = [], credits = 0, cached = false }: CallFacts): void => {
    const labels = { operation, outcome, cached: String(cached), surface };
    metrics.count('headgate_calls_total', 'Calls by operation and outcome.', labels);
    for (const attempt of attempts) {
      const tried = { provider: attempt.provider, outcome: attempt.outcome };
      metrics.count('headgate_attempts_total', 'Attempts at providers by outcome.', tried);
      metrics.observe(
        'headgate_attempt_seconds',
        'Time that a provider took, per attempt.',
        attempt.ms / 1_000,
        tried,
      );
    }
    if (credits > 0)
      metrics.count('headgate_credits_total', 'Credits that providers charged.', { operation }, credits);
  };
  return {
    requestId: () => call?.requestId,
    begin: (begun: Pick<Call, 'requestId'>) => {
      call = begun;
    },
    done: (facts: CallFacts) => note(facts),
    failed: (error: HeadgateError) => {
      metrics.count('headgate_failures_total', 'Calls that failed, by code.', {
        operation,
        code: error.code,
      });
      const attempts = error.data['attempts'] as Attempt[] | undefined;
      note({ outcome: outcomeOf(error), ...(attempts === undefined ? {} : { attempts }) });
    },
  };
}
