import { z } from 'zod';
import { askModel } from './ask.ts';
import { modelWords } from './words.ts';
import { distinctQueries, toSubQuery } from '../plan.ts';
import type { RunContext } from '../run.ts';
import type { SubQuery } from '../state.ts';

const planned = z.object({
  research_brief: z.string().max(5_000).default(''),
  sub_queries: z
    .array(
      z.object({
        query: z.string().trim().min(2).max(400),
        rationale: z.string().default(''),
        priority: priority(),
      }),
    )
    .min(1)
    .max(100),
});

/** A priority from 1, the most pressing, to 10; other values are clamped. */
export function priority() {
  return z.coerce
    .number()
    .catch(5)
    .transform((value) => Math.min(10, Math.max(1, Math.round(value))));
}

/** The model's plan; undefined if there is no usable one. */
export async function planWithModel(run: RunContext): Promise<SubQuery[] | undefined> {
  const { input, state, mode } = run;
  const prompt = [
    'TASK: plan',
    `QUESTION: ${input.query.replace(/\s+/g, ' ')}`,
    `Split the question into at most ${input.max_sub_queries} web searches that together answer it (${mode} research). Each must be understandable by itself.`,
    'Answer: {"research_brief": string, "sub_queries": [{"query": string, "rationale": string, "priority": 1-10 (1 is most pressing)}]}',
  ].join('\n\n');
  const plan = await askModel(run, 'plan', prompt, planned);
  if (plan === undefined) return undefined;
  state.brief = modelWords(plan.research_brief, state);
  const wanted = plan.sub_queries.toSorted((a, b) => a.priority - b.priority);
  return distinctQueries(wanted.map(({ query }) => toSubQuery(query, query, 1))).slice(
    0,
    input.max_sub_queries,
  );
}
