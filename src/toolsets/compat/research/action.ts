import type { z } from 'zod';
import type { Call } from '../../../core/call.ts';
import type { ToolEngine } from '../../engine.ts';
import type { Envelope } from './response-v2.ts';

/** What an action answers, and what rides along out of band. */
export interface ActionResult {
  envelope: Envelope;
  meta?: Record<string, unknown>;
}

/** One action of the `research` tool. Another action is one more entry in its list. */
export interface ResearchAction {
  name: string;
  /** One sentence for the model. */
  summary: string;
  input: z.ZodObject;
  run(input: Record<string, unknown>, call: Call, engine: ToolEngine): Promise<ActionResult>;
}

/** Gives a literal its type: `run` gets what `input` makes of the arguments. */
export const defineAction = <Input extends z.ZodObject>(action: {
  name: string;
  summary: string;
  input: Input;
  run(input: z.output<Input>, call: Call, engine: ToolEngine): Promise<ActionResult>;
}): ResearchAction => action;
