import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResearchReport } from '../../src/contract/research.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { perform } from '../../src/operations/perform.ts';
import { renderHtml } from '../../src/research/report/html.ts';
import { research } from '../../src/research/research.ts';
import { inParallel } from '../../src/research/in-parallel.ts';
import { TOPIC_PAGES } from '../../src/sim/topic-pages.ts';
import { checkCitations } from '../support/research/check-report.ts';
import { sized } from '../support/sized.ts';
import { ATTACKS, attackWith, TASKS, type Task } from '../support/research/hostile-model.ts';
import { createResearchWorld, modelFor, QUESTION, type ResearchWorld } from '../support/research/world.ts';

/** How often each attack is tried on each task; a refused answer is asked for again, so more arrive. */
const ROUNDS = sized('rounds of hostile model answers', { small: 1, large: 24, full: 240 });
/** Of each task; a thousand in all where the run is not a small one. */
const ARRIVALS_MIN = Math.floor((ROUNDS * 250) / 24);
const AT_ONCE = 6;

interface Case {
  task: Task;
  attack: string;
  seed: number;
}

let world: ResearchWorld;
let engine: Engine;
/** How many hostile answers the program took in, by task and attack, and how many of them it refused for their shape. */
const arrived = new Map<string, number>();
const repaired = new Map<string, number>();
const cases = new Map<number, Case>();
const addOne = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

beforeAll(async () => {
  world = await createResearchWorld({ model: answer });
  engine = world.open({ ...modelFor(world.sim), 'search.retry_base_ms': 1 });
});
afterAll(() => world.close());

/** Honest up to the task that the case is about, hostile there, and honest again. */
function answer(prompt: string): string | undefined {
  const task = /^TASK: (\w+)/m.exec(prompt)?.[1] as Task;
  const one = cases.get(Number(/^QUESTION: .*\(case (\d+)\)/m.exec(prompt)?.[1]));
  if (one === undefined || one.task !== task) return undefined;
  addOne(arrived, task);
  addOne(arrived, `${task}: ${one.attack}`);
  if (prompt.includes('Your last answer could not be used')) addOne(repaired, `${task}: ${one.attack}`);
  return attackWith(one.attack, task, prompt, one.seed);
}

async function reportOf(number: number): Promise<ResearchReport> {
  const input = {
    query: `${QUESTION} (case ${number})`,
    max_iterations: cases.get(number)?.task === 'refinement' ? 2 : 1,
    max_sub_queries: 2,
    max_sources_per_query: 4,
    follow_links: false,
    include_raw_content: 'markdown',
  };
  const { report } = await perform(research, input, { call: world.call(), services: engine.services });
  if (report === null) throw new Error('There is no report.');
  return report;
}

/** Every address of a report is one of the simulator's pages, however the report is printed. */
function inventedAddresses(report: ResearchReport): string[] {
  const known = new Set(TOPIC_PAGES.map(({ url }) => url));
  const forms = [report.markdown, renderHtml(report), JSON.stringify(report)];
  const found = forms.flatMap((text) => text.normalize('NFKC').match(ADDRESS) ?? []);
  return found.filter((address) => !known.has(address.replace(/[).,"\\]+$/, '')));
}

const ADDRESS =
  /[a-z][a-z0-9+.-]*:\/\/[^\s<>"]*|(?<![:\w])\/\/[a-z0-9-]+\.[^\s<>"]*|www\.[^\s<>"]*|(?:javascript|data|mailto):[^\s<>"]+|[\w.]+@[\w-]+\.\w+|evil\.example[^\s<>"]*/gi;

describe.each(TASKS)('research spec 7.5: a model that turns on us in its %s', (task) => {
  test(
    'no crash, no citation that does not stand, no address that no search found',
    async () => {
      const mine: number[] = [];
      for (let seed = 0; seed < ROUNDS; seed += 1) {
        for (const attack of Object.keys(ATTACKS)) {
          const number = cases.size + 1;
          cases.set(number, { task, attack, seed: number * 7_919 });
          mine.push(number);
        }
      }
      await inParallel(mine, AT_ONCE, async (number) => {
        const report = await reportOf(number);
        checkCitations(report, await engine.services.research.sources(report.research_id, world.call()));
        expect({
          case: cases.get(number),
          outcome: report.outcome,
          hasFindings: report.findings.length > 0,
          invented: inventedAddresses(report),
          obeyed: report.markdown.match(/<(?:script|img|a )|API key|system prompt|password/i),
        }).toEqual({
          case: cases.get(number),
          outcome: 'ok',
          hasFindings: true,
          invented: [],
          obeyed: null,
        });
        await engine.services.research.delete(report.research_id, world.call());
      });

      // A fuzz that never arrives proves nothing: neither one that the first check always stops.
      expect(arrived.get(task)).toBeGreaterThanOrEqual(ARRIVALS_MIN);
      const taken = Object.keys(ATTACKS).filter((attack) => {
        const key = `${task}: ${attack}`;
        return (arrived.get(key) ?? 0) > (repaired.get(key) ?? 0) * 2;
      });
      expect(taken).toEqual(expect.arrayContaining(TAKEN));
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
    60_000 + ROUNDS * 20_000,
  );
});

/** Attacks whose answers have the agreed shape, so that they get behind the first check. */
const TAKEN = [
  'invented ids',
  'citations out of range',
  'quotes that were changed',
  'orders from a page',
  'links and markup',
  'unicode tricks',
  'polluted objects',
];
