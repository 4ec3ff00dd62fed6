import type { Ctx } from '../routing/services.ts';
import { parseInput } from '../contract/parse.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { authorise } from './authorise.ts';
import type { Operation } from './operation.ts';
import type { Plan } from '../routing/price-chain.ts';
import type { Services } from './services.ts';

/** `dry_run`: validates the input and prices the call, without calling or reserving anything. */
export async function plan(
  operation: Operation<never>,
  raw: unknown,
  { call, services }: Ctx<Services>,
): Promise<Plan> {
  const allowed = authorise(operation, call);
  if (operation.plan === undefined) {
    throw new HeadgateError(
      'invalid_request',
      own`dry_run: ${named(operation.contract.name)} cannot be planned.`,
      {
        remediation: 'Leave dry_run out.',
      },
    );
  }
  const input = parseInput(operation.contract.input, raw) as never;
  return operation.plan(input, { call: allowed, services });
}
