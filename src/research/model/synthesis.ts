import { z } from 'zod';
import { askModel, fence } from './ask.ts';
import { modelWords } from './words.ts';
import { support } from '../../evidence/supports.ts';
import type { RunContext } from '../run.ts';
import type { Statement } from '../state.ts';

const statements = z
  .array(z.object({ text: z.string(), finding_ids: z.array(z.string()).max(50).catch([]) }))
  .max(50)
  .catch([]);

const written = z.object({ summary: statements, conclusions: statements });

/** Lets the model write summary and conclusions; removes and counts unsupported sentences. */
export async function synthesiseWithModel(run: RunContext): Promise<void> {
  const { state } = run;
  if (!state.isWorded || state.findings.length === 0) return;
  const prompt = [
    'TASK: synthesis',
    `QUESTION: ${run.input.query.replace(/\s+/g, ' ')}`,
    'Write a summary and conclusions that answer the question from these findings alone. Every sentence says one thing and names the ids of the findings that say it; a figure, date, name or denial that is not in a finding may not be in its sentence. No links, no citation marks: they are added later.',
    fence(run, state.findings.map(({ id, statement }) => `${id}: ${statement}`).join('\n')),
    'Answer: {"summary": [{"text": string, "finding_ids": [string]}], "conclusions": [{"text": string, "finding_ids": [string]}]}',
  ].join('\n\n');
  const answer = await askModel(run, 'synthesis', prompt, written);
  if (answer === undefined) return;
  state.summary = answer.summary.flatMap((one) => check(run, one));
  state.conclusions = answer.conclusions.flatMap((one) => check(run, one));
}

function check(run: RunContext, statement: { text: string; finding_ids: string[] }): Statement[] {
  const { state } = run;
  const asked = [...new Set(statement.finding_ids)];
  const known = state.findings.filter(({ id }) => asked.includes(id));
  state.removed.citations += asked.length - known.length;
  const text = modelWords(statement.text, state);
  const carrying = known.filter(
    ({ quote }) => text !== '' && support(text, quote, run.input.query) === 'exact',
  );
  if (carrying.length > 0) return [{ text, findingIds: carrying.map(({ id }) => id) }];
  state.removed.claims += 1;
  return [];
}
