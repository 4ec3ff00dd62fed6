import { createHash } from 'node:crypto';
import dns from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { createHeadgate } from '../../src/index.ts';
import { seededRandom } from './seeded-random.ts';

/** What this program does: `calls` over an engine with this configuration, once for each of `rounds`. */
export interface SnapshotJob {
  home: string;
  config: Record<string, unknown>;
  calls: [operation: string, input: Record<string, unknown>][];
  /** How many calls are made at once; more than one are shuffled. */
  rounds: number[];
  /** The time at which the system clock stands. */
  time?: number;
  isOffline: boolean;
}

/** What it writes: the answers of the first round, and the sums of all. */
export interface SnapshotRun {
  answers: string[];
  sums: string[];
  /** How often anything asked for a connection or an address, which both throw. */
  sockets: number;
}

const [jobFile = '', resultFile = ''] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobFile, 'utf8')) as SnapshotJob;
let sockets = 0;
const refuse = (): never => {
  sockets += 1;
  throw new Error('There is no network here.');
};
if (job.isOffline) {
  Socket.prototype.connect = refuse;
  Object.assign(dns, { lookup: refuse, resolve: refuse });
  Object.assign(dns.promises, { lookup: refuse, resolve: refuse });
}
const { time } = job;
if (time !== undefined) Date.now = () => time;

async function play(atOnce: number, seed: number): Promise<string[]> {
  const web = createHeadgate({ home: job.home, config: job.config });
  const tools = await web.agentTools();
  const make = async ([operation, input]: SnapshotJob['calls'][number]): Promise<string> => {
    const tool = tools.find(({ name }) => `tool ${name}` === operation);
    const run = (web as unknown as Record<string, (input: unknown) => Promise<unknown>>)[operation];
    if (tool === undefined && run === undefined) throw new Error(`There is no ${operation}.`);
    const answer = await (tool?.execute(input) ?? run?.(input))?.catch(
      (thrown: { message: string; code: string; data: unknown }) => ({ ...thrown, message: thrown.message }),
    );
    return JSON.stringify(answer);
  };
  const random = seededRandom(seed);
  const order = job.calls.map((call, at) => ({ call, at, key: atOnce === 1 ? at : random() }));
  order.sort((a, b) => a.key - b.key);
  const answers: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let one = order[next++]; one !== undefined; one = order[next++])
      answers[one.at] = await make(one.call);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await web.close();
  return answers;
}

/** Of the answers, not of their order: which of two calls that are the same is the second depends on who comes first. */
const sumOf = (answers: string[]): string =>
  createHash('sha256').update(answers.toSorted().join('\n')).digest('hex');
const run: SnapshotRun = { answers: [], sums: [], sockets: 0 };
for (const [nth, atOnce] of job.rounds.entries()) {
  const answers = await play(atOnce, nth);
  if (nth === 0) run.answers = answers;
  run.sums.push(sumOf(answers));
}
writeFileSync(resultFile, JSON.stringify({ ...run, sockets }));
process.exit(0);
