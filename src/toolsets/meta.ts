interface Account {
  outcome: string;
  attempts: unknown[];
  warnings: string[];
  request_id: string;
  credits?: number;
  match?: string;
  cost?: object | undefined;
}

/** The `_meta` of a result: outcome, origin of the text and credits; the host adds what was booked. */
export const metaOf = (output: Account): Record<string, unknown> => ({
  outcome: output.outcome,
  ...(output.match === undefined ? {} : { match: output.match }),
  attempts: output.attempts,
  ...(output.warnings.length === 0 ? {} : { warnings: output.warnings }),
  ...(output.credits === undefined ? {} : { cost: output.cost ?? { credits: output.credits } }),
  request_id: output.request_id,
  trust: 'untrusted_web',
});
