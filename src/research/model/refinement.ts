import { z } from 'zod';
import { askModel, fence } from './ask.ts';
import { priority } from './plan.ts';
import { distinctQueries, toSubQuery } from '../plan.ts';
import type { RunContext } from '../run.ts';
import type { SubQuery } from '../state.ts';

const refined = z.object({
  gap_analysis: z.array(z.unknown()).max(200).catch([]),
  follow_up_queries: z
    .array(
      z.object({
        query: z.string().trim().min(2).max(400),
        target_gap_id: z.string().nullish(),
        priority: priority(),
      }),
    )
    .max(100)
    .catch([]),
  addressed_gap_ids: z.array(z.string()).max(200).catch([]),
  iteration_recommendation: z.object({ should_iterate: z.boolean() }).catch({ should_iterate: false }),
});

/** The model's next searches; undefined without a usable answer. Invented gaps are ignored. */
export async function refineWithModel(run: RunContext): Promise<SubQuery[] | undefined> {
  const { state, input } = run;
  const open = state.gaps.filter((gap) => !gap.isResolved);
  const prompt = [
    'TASK: refinement',
    `QUESTION: ${input.query.replace(/\s+/g, ' ')}`,
    `Iteration ${state.iteration} of ${input.max_iterations}. Say which gaps are closed, and which searches would close the others.`,
    fence(
      run,
      [
        'GAPS',
        ...open.map(({ id, description }) => `${id}: ${description}`),
        'FINDINGS',
        ...state.findings.map(({ id, statement }) => `${id}: ${statement}`),
      ].join('\n'),
    ),
    'Answer: {"gap_analysis": [{"gap_id": string, "severity": "critical"|"moderate"|"minor", "addressable": boolean, "rationale": string}], "follow_up_queries": [{"query": string, "target_gap_id": string, "rationale": string, "priority": 1-10}], "addressed_gap_ids": [string], "iteration_recommendation": {"should_iterate": boolean, "rationale": string}}',
  ].join('\n\n');
  const answer = await askModel(run, 'refinement', prompt, refined);
  if (answer === undefined) return undefined;
  for (const gap of open) gap.isResolved = answer.addressed_gap_ids.includes(gap.id);
  if (!answer.iteration_recommendation.should_iterate) return [];
  const ids = new Set(open.map(({ id }) => id));
  const asked = new Set(state.subQueries.map(({ id }) => id));
  const wanted = answer.follow_up_queries
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ query, target_gap_id: gap }) =>
      toSubQuery(query, query, state.iteration + 1, gap != null && ids.has(gap) ? gap : undefined),
    );
  return distinctQueries(wanted).filter(({ id }) => !asked.has(id));
}
