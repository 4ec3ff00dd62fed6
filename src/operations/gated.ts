import type { Call, Caller } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Intent } from '../core/gate.ts';
import { openGate } from '../policy/gate.ts';
import type { ReadyProvider } from '../routing/ready-provider.ts';
import type { Ctx } from '../routing/services.ts';
import { scanned, tellDecision, type CleanInput } from './scanned.ts';
import type { Services } from './services.ts';

/**
 * Applies the rules for the caller: refuses what they refuse, and lets the operation see only the providers that
 * may be asked. Steps inside an operation run under the rules of the outer call.
 */
export async function gated<Input>(
  operation: string,
  input: Input,
  ctx: Ctx<Services>,
  isInner: boolean,
): Promise<Gated<Input>> {
  const { call, services } = ctx;
  if (call.gate !== undefined) return { ...scanned(input, ctx), ctx };
  const rules = await services.rulesFor(call.caller);
  if (rules === undefined) return { ...scanned(input, ctx), ctx };
  const gate = openGate(rules, (decision) => tellDecision(decision, ctx));
  // The steps of a research, and of a job that adds to the library, are part of what was allowed.
  const isStep = call.surface === 'research' || call.surface === 'library' || isInner;
  if (!isStep) gate.check({ kind: 'operation', operation: PART_OF[operation] ?? operation });
  for (const id of providersOf(input)) gate.check(asks(id));
  const providers = services.providers.filter(
    ({ provider }) => provider.builtIn !== undefined || gate.allows(asks(provider.id)),
  );
  if (services.providers.some(isForeign) && !providers.some(isForeign) && operation === 'search')
    throw new HeadgateError('policy_denied', 'The policy allows none of the providers that are set up.', {
      remediation: 'Set up a provider that it allows, or change [policy] providers.',
    });
  const inner = { call: { ...call, gate }, services: { ...services, providers } };
  // Before it is noted which address was chosen: a secret in it is not kept.
  const clean = scanned(input, inner);
  const { leak, levels } = rules;
  if (operation === 'crawl' || operation === 'map')
    gate.check({ kind: 'links', depth: (clean.input as { max_depth: number }).max_depth });
  const isCounted = levels.some(({ pagesMax }) => pagesMax !== undefined);
  if ((leak === undefined || isStep) && !isCounted) return { ...clean, ctx: inner };
  const { admissionOf, pageCounter } = await import('./admission.ts');
  const count = isCounted ? pageCounter(levels, inner) : undefined;
  const admission =
    leak === undefined || isStep ? undefined : await admissionOf(operation, clean.input, leak, inner);
  const whole = {
    ...gate,
    ...(count === undefined ? {} : { count }),
    ...(admission === undefined ? {} : { admission }),
  };
  const deadline = call.extend?.(0) ?? call.deadline;
  return { ...clean, ctx: { ...inner, call: { ...call, deadline, gate: whole } } };
}

/** A call that is no operation of its own, under the rules for its caller or somebody else. */
export async function underRules(
  { call, services }: Ctx<Services>,
  caller: Caller = call.caller,
): Promise<Call> {
  const rules = call.gate === undefined ? await services.rulesFor(caller) : undefined;
  if (rules === undefined) return call;
  return { ...call, gate: openGate(rules, (decision) => tellDecision(decision, { call, services })) };
}

/** The rules that a call runs under, and what it may go on with. */
interface Gated<Input> extends CleanInput<Input> {
  ctx: Ctx<Services>;
}

/** What is allowed or refused together with another operation. */
const PART_OF: Record<string, string> = { research_session: 'research', verify_quote: 'extract' };

const asks = (provider: string): Intent => ({ kind: 'provider', provider });

const isForeign = ({ provider }: ReadyProvider): boolean => provider.builtIn === undefined;

/** The providers that a call names; `auto` and what is built in ask nobody by name. */
function providersOf(input: unknown): string[] {
  const { provider } = (input ?? {}) as { provider?: string | string[] };
  const isBuiltIn = (id: string): boolean => ['auto', 'headgate', 'library'].includes(id);
  return [provider ?? []]
    .flat()
    .map((id) => id.toLowerCase())
    .filter((id) => !isBuiltIn(id));
}
