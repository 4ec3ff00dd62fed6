import type { Config } from '../config/schema.ts';
import { tellingSecretsOf } from '../config/secrets.ts';
import type { Decision } from '../core/gate.ts';
import { warned } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import { decisionName, policyRefusal } from '../policy/gate.ts';
import { createKnownValues, type KnownValues } from '../policy/known-values.ts';
import { scanInput, secretRulesOf } from '../policy/outgoing.ts';
import type { Ctx } from '../routing/services.ts';
import type { Services } from './services.ts';

/** What a call goes on with, and what its caller should know. */
export interface CleanInput<Input> {
  input: Input;
  warnings: OwnText[];
}

/**
 * Looks for secrets in the input of a call before anything leaves, and returns the input to go on with: without them
 * where the rules say so. What looks like a secret is kept out of the call log, whatever the rules say.
 */
export function scanned<Input>(input: Input, { call, services }: Ctx<Services>): CleanInput<Input> {
  const found = scanInput(input, call.gate?.secrets ?? secretRulesOf([]), ownValuesOf(services.config));
  for (const secret of found.secrets) call.note?.secrets.add(secret);
  for (const decision of found.decisions) tellDecision(decision, { call, services });
  const denied = found.decisions.find(({ verdict }) => verdict === 'deny');
  if (denied !== undefined) throw policyRefusal(denied);
  const count = found.input === input ? 0 : found.secrets.length;
  const taken = warned`What looked like a secret was taken out of the call and replaced by [secret].`;
  return { input: found.input, warnings: count === 0 ? [] : [taken] };
}

/** Notes in the call log and in the log which rule refused or reported something. */
export function tellDecision(decision: Decision, { call, services }: Ctx<Services>): void {
  call.note?.decisions.add(decisionName(decision));
  services.decided?.(decision);
  services.log.info('policy', { request: call.requestId, decision: decisionName(decision) });
}

/** By the sections of providers, which are replaced when a key changes. */
const knownOf = new WeakMap<object, KnownValues>();

function ownValuesOf(config: Config): KnownValues {
  const known = knownOf.get(config.providers) ?? createKnownValues(tellingSecretsOf(config));
  knownOf.set(config.providers, known);
  return known;
}
