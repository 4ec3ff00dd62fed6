interface Account {
  outcome: string;
  attempts: unknown[];
  warnings: string[];
  request_id: string;
  credits?: number;
  match?: string;
  cost?: object | undefined;
}

/** What rides along with a result out of band: how it went, that its text comes from the web, and the credits; what was booked is added by the host. */
export const metaOf = (output: Account): Record<string, unknown> => ({
  outcome: output.outcome,
  ...(output.match === undefined ? {} : { match: output.match }),
  attempts: output.attempts,
  ...(output.warnings.length === 0 ? {} : { warnings: output.warnings }),
  ...(output.credits === undefined ? {} : { cost: output.cost ?? { credits: output.credits } }),
  request_id: output.request_id,
  trust: 'untrusted_web',
});
