import type { z } from 'zod';

/** What may be asked of one operation and what comes back. Every surface, schema and document is a projection of it. */
export interface Contract<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
}

/** Gives a literal its type. */
export const defineContract = <Input extends z.ZodType, Output extends z.ZodType>(
  contract: Contract<Input, Output>,
): Contract<Input, Output> => contract;
