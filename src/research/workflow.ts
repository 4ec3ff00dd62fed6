import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { analyse } from './analyse.ts';
import { followUp } from './follow-up.ts';
import { followUpQueries, gapsOf, mergeGaps } from './gaps.ts';
import { gather } from './gather.ts';
import { analyseWithModel } from './model/analysis.ts';
import { matchOfFindings } from './match.ts';
import { planWithModel } from './model/plan.ts';
import { refineWithModel } from './model/refinement.ts';
import { synthesiseWithModel } from './model/synthesis.ts';
import { firstSubQuery, planSubQueries, QUERY_CHARS_MAX } from './plan.ts';
import { isOver, warn, type RunContext } from './run.ts';
import type { Conflict, Finding, Gap, ResearchSource, ResearchState, SubQuery } from './state.ts';

/**
 * plan → gather → extract → analyse → refine, repeated while gaps and iterations remain, then synthesise.
 * External calls go through the journal, so replaying a journal gives the same state.
 */
export async function runWorkflow(run: RunContext): Promise<void> {
  const { state, input } = run;
  if (input.query.length > QUERY_CHARS_MAX)
    warn(
      run,
      own`The question is longer than ${QUERY_CHARS_MAX} characters; searches use a shorter form of it.`,
    );
  let subQueries = await plan(run);
  let fresh: ResearchSource[] = [...state.sources];
  for (;;) {
    fresh.push(...(await search(run, subQueries)));
    if (fresh.length === 0 && state.iteration > 1) state.stop ??= 'nothing_new';
    await study(run, fresh);
    subQueries = await refine(run);
    if (subQueries.length === 0) break;
    state.iteration += 1;
    fresh = [];
  }
  run.enter('synthesis');
  await synthesiseWithModel(run);
}

/** Searches the question itself, plans from its results, and returns the queries left to search. */
async function plan(run: RunContext): Promise<SubQuery[]> {
  const { state, input, mode } = run;
  run.enter('planning');
  const first = firstSubQuery(input.query);
  const scouted = await gather(run, [first]);
  const planned =
    (await planWithModel(run)) ?? planSubQueries(input.query, mode, scouted, input.max_sub_queries);
  run.emit({ type: 'plan', iteration: state.iteration, queries: planned.map(({ query }) => query) });
  return planned.filter(({ id }) => id !== first.id);
}

async function search(run: RunContext, subQueries: SubQuery[]): Promise<ResearchSource[]> {
  run.enter('gathering');
  return subQueries.length === 0 ? [] : gather(run, subQueries);
}

/** How many findings an event names. */
const LATEST = 8;

async function study(run: RunContext, fresh: ResearchSource[]): Promise<void> {
  const { state } = run;
  run.enter('extraction');
  await followUp(run, fresh);
  run.enter('analysis');
  const before = state.findings.length;
  const gaps = await findIn(run, fresh);
  state.gaps = mergeGaps(state.gaps, gaps);
  if (state.iteration > 1 && state.findings.length <= before && fresh.length > 0)
    state.stop ??= 'nothing_new';
  run.emit({
    type: 'findings',
    findings: state.findings.length,
    conflicts: state.conflicts.length,
    gaps: state.gaps.filter((gap) => !gap.isResolved).length,
    latest: state.findings.slice(-LATEST).map(({ quote, url }) => ({ quote, url })),
  });
}

/** Adds the model's findings in the new sources; without a usable answer, quotes are used instead. */
async function findIn(run: RunContext, fresh: ResearchSource[]): Promise<Gap[]> {
  const { state } = run;
  const quoted = matching(state, await analyse(state, run.cancelled));
  const worded = run.model === undefined ? undefined : await analyseWithModel(run, fresh);
  const found = worded === undefined ? undefined : matching(state, worded);
  state.isWorded = found !== undefined && (state.iteration === 1 || state.isWorded);
  if (!state.isWorded || found === undefined) {
    Object.assign(state, quoted);
    return gapsOf(state);
  }
  const known = new Set(state.findings.map(({ id }) => id));
  const added = [...new Map(found.findings.map((one) => [one.id, one])).values()].filter(
    ({ id }) => !known.has(id),
  );
  state.findings = [...state.findings, ...added].slice(0, LIMITS.researchFindingsMax);
  addDisputed(state, quoted);
  return found.gaps;
}

/** If no result is about the question, nothing was found. */
function matching<Found extends { findings: Finding[]; conflicts?: Conflict[] }>(
  { query, sources }: ResearchState,
  found: Found,
): Found {
  if (matchOfFindings(query, found.findings, sources) !== 'none') return found;
  return { ...found, findings: [], ...(found.conflicts === undefined ? {} : { conflicts: [] }) };
}

/** Adds contradicting sentences that the model overlooked to its findings. */
function addDisputed(state: ResearchState, quoted: { findings: Finding[]; conflicts: Conflict[] }): void {
  const ids = new Set(state.findings.map(({ id }) => id));
  const disputed = new Set(
    quoted.conflicts.flatMap(({ sides }) => sides.flatMap(({ findingIds }) => findingIds)),
  );
  const missing = quoted.findings.filter(({ id }) => disputed.has(id) && !ids.has(id));
  state.findings.push(...missing.map(({ echoOf: _echo, ...finding }) => finding));
  state.conflicts = quoted.conflicts;
}

/** The searches of the next iteration; none if nothing is open, affordable or promising. */
async function refine(run: RunContext): Promise<SubQuery[]> {
  const { state, input } = run;
  run.enter('refinement');
  if (state.stop !== undefined || isOver(run) || state.iteration >= input.max_iterations) return [];
  const wished = state.isWorded ? await refineWithModel(run) : undefined;
  const next = (wished ?? followUpQueries(state, input.max_sub_queries)).slice(
    0,
    LIMITS.researchFollowUpsMax,
  );
  if (next.length > 0)
    run.emit({ type: 'plan', iteration: state.iteration + 1, queries: next.map(({ query }) => query) });
  return next;
}
