import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ResearchReport } from '../../src/contract/research.ts';
import { perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import type { RequestMatch } from '../../src/sim/script.ts';
import { bundled } from '../support/bundled.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { checkReport } from '../support/research/check-report.ts';
import { sized } from '../support/sized.ts';
import type { ChildTask } from '../support/research/child.ts';
import { configFor, createResearchWorld, modelFor, QUESTION, storeFlags } from '../support/research/world.ts';

/** Resumable sessions (research spec 7.4): the process is killed inside a phase, and another process continues. */
let child: Awaited<ReturnType<typeof bundled>>;
let postgres: TestPostgres | undefined;
beforeAll(async () => {
  child = await bundled(join(import.meta.dirname, '../support/research/child.ts'));
  postgres = await startPostgres();
}, 60_000);
afterAll(async () => {
  child.dispose();
  await postgres?.stop();
});

const input = { query: QUESTION, max_iterations: 2, max_sub_queries: 4 };

/** What only a process inside the phase asks; the answer never comes. */
const PHASES: [string, RequestMatch & object][] = [
  ['planning', { path: '/model', contains: 'TASK: plan' }],
  ['gathering', { path: '/topics/search', contains: 'Aldana canal leakage' }],
  ['extraction', { path: '/topics/extract' }],
  ['analysis', { path: '/model', contains: 'TASK: analysis' }],
  ['refinement', { path: '/model', contains: 'TASK: refinement' }],
  ['synthesis', { path: '/model', contains: 'TASK: synthesis' }],
];

const start = (task: ChildTask) => spawn(process.execPath, [child.file, JSON.stringify(task)]);

/** The report without what differs between two sessions: their id. */
const plain = ({ research_id: _id, ...report }: ResearchReport) => JSON.stringify(report);

/** In smaller runs each place has phases of its own, so that no phase is tried twice. */
const PLACES = ['folder', 'postgres', 'sqlite'];
const phasesOf = (where: string): typeof PHASES => {
  const count = sized('phases in which a research is killed, in each store', { small: 1, large: 6, full: 6 });
  const first = PLACES.indexOf(where) * 2;
  return count === PHASES.length ? PHASES : PHASES.slice(first, first + count);
};

const places = sized('stores in which a killed research is kept', { small: 1, large: 3, full: 3 });
describe.each(PLACES.slice(0, places))('kill -9 in every phase, kept in: %s', (where) => {
  test.concurrent('another process goes on, and the report is the same byte for byte', async (context) => {
    if (where === 'postgres' && postgres === undefined) return context.skip();
    const phases = phasesOf(where);
    const keep = where === 'postgres' ? await (postgres as TestPostgres).migratedUrl() : where;
    const world = await createResearchWorld({ keep });
    const flags = { ...configFor(world.sim), ...storeFlags(keep), ...modelFor(world.sim) };
    const task = { home: world.home, flags, accounts: where !== 'folder' };
    try {
      const sessions = () => world.engine.services.research.list({ limit: 100 }, world.call());
      const killed: string[] = [];
      for (const [phase, match] of phases) {
        world.sim.reset();
        world.sim.script(match, [{ kind: 'hang' }]);
        const begun = start({ ...task, begin: input });
        const { path, contains = '' } = match as { path: string; contains?: string };
        await vi.waitFor(
          () =>
            expect(
              world.sim.requests.some(
                (one) => one.url.pathname.startsWith(path) && one.body.includes(contains),
              ),
            ).toBe(true),
          { timeout: 20_000 },
        );
        await vi.waitFor(
          async () => {
            const known = (await sessions()).sessions.filter((one) => !killed.includes(one.research_id));
            expect(known[0]).toMatchObject({ status: 'running', phase });
          },
          { timeout: 20_000 },
        );
        begun.kill('SIGKILL');
        await new Promise((resolve) => begun.once('exit', resolve));
        const fresh = (await sessions()).sessions.find((one) => !killed.includes(one.research_id));
        killed.push(fresh?.research_id ?? '');
      }
      world.sim.reset();
      await endLeases(world.engine.store);
      expect((await sessions()).sessions.map((one) => one.status)).toEqual(phases.map(() => 'interrupted'));
      const output: string[] = [];
      const resumer = start({ ...task, resume: killed });
      resumer.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
      const code = await new Promise((resolve) => resumer.once('exit', resolve));
      expect(code).toBe(0);
      const reports = output
        .join('')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ResearchReport);
      expect(reports.map((report) => report.research_id)).toEqual(killed);

      const undisturbed = world.open(modelFor(world.sim));

      const { report } = await perform(research, input, {
        call: world.call(),
        services: undisturbed.services,
      });
      if (report === null) throw new Error('There is no report.');
      expect(report.written_by).toBe('sim-1');
      for (const [at, one] of reports.entries())
        expect(plain(one), `killed in ${phases[at]?.[0]}`).toBe(plain(report));
      await checkReport(reports[0] as ResearchReport, world.engine.services);
    } finally {
      await world.close();
    }
  }, 120_000);
});

/** In a database a dead owner is known only by its silence; the test does not wait for the end of the lease. */
async function endLeases(store: Awaited<ReturnType<typeof createResearchWorld>>['engine']['store']) {
  await store?.database.write([{ sql: 'UPDATE research_sessions SET lease = 0' }]);
}
