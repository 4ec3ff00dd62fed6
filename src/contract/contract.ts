import type { z } from 'zod';

/** The input and output of one operation. Every surface, schema and reference page is derived from it. */
export interface Contract<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
}

/** Infers the type of a contract literal. */
export const defineContract = <Input extends z.ZodType, Output extends z.ZodType>(
  contract: Contract<Input, Output>,
): Contract<Input, Output> => contract;
