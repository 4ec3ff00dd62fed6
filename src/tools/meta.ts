import { CREDIT_MILLIONTHS } from '../core/money.ts';

interface Account {
  outcome: string;
  attempts: unknown[];
  warnings: string[];
  request_id: string;
  credits?: number;
  match?: string;
}

/** What rides along with a result out of band: how it went, that its text comes from the web, and what it cost. */
export const metaOf = (output: Account): Record<string, unknown> => ({
  outcome: output.outcome,
  ...(output.match === undefined ? {} : { match: output.match }),
  attempts: output.attempts,
  ...(output.warnings.length === 0 ? {} : { warnings: output.warnings }),
  ...(output.credits === undefined
    ? {}
    : { cost: { credits: output.credits, usd_millionths: Math.ceil(output.credits * CREDIT_MILLIONTHS) } }),
  request_id: output.request_id,
  trust: 'untrusted_web',
});
