import type { Ctx } from '../routing/services.ts';
import type { z } from 'zod';
import type { Contract } from '../contract/contract.ts';
import type { KeyScope, WebTool } from '../core/grant.ts';
import type { Voiced } from '../core/text.ts';
import type { Plan } from '../routing/price-chain.ts';
import type { Services } from './services.ts';

/** An operation: its contract and its implementation. Surfaces loop over a list of them. */
export interface Operation<Input = unknown, Output = unknown> {
  contract: Contract;
  /** The scope that a key needs. */
  scope: KeyScope;
  /** The tools that an agent needs. */
  webTools: readonly WebTool[];
  run(input: Input, ctx: Ctx<Services>): Promise<Output>;
  /** What the call would do and cost, for `dry_run`; absent for free operations. */
  plan?(input: Input, ctx: Ctx<Services>): Plan;
}

/** Gives a literal its type from its contract. */
export const defineOperation = <Input extends z.ZodType, Output extends z.ZodType>(operation: {
  contract: Contract<Input, Output>;
  scope: KeyScope;
  webTools: readonly WebTool[];
  run(input: z.output<Input>, ctx: Ctx<Services>): Promise<Voiced<z.output<Output>>>;
  plan?(input: z.output<Input>, ctx: Ctx<Services>): Plan;
}): Operation<z.output<Input>, Voiced<z.output<Output>>> => operation;
