// One command per benchmark: `npm run benchmark -- NAME` measures, keeps the figures in benchmarks/results/NAME.json with date, commit and
// machine, and writes RESULTS.md and the plots anew. Without a name it says which there are.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { about } from './report.ts';
import { writeResults } from './write-results.ts';

const root = join(import.meta.dirname, '..');

/** What node is given for each; all print JSON on standard output. */
const BENCHMARKS: Record<string, string[]> = {
  startup: ['benchmarks/startup/run.ts'],
  extraction: ['benchmarks/extraction/run.ts', '--step', '24'],
  ranking: ['benchmarks/ranking/run.ts', '--json'],
  passages: ['benchmarks/passages/run.ts', '--json'],
  pdf: ['benchmarks/pdf/run.ts'],
  answers: ['benchmarks/answers/run.ts', '--json'],
  library: ['benchmarks/library/run.ts', '--quality', '--documents', '10000,100000'],
  snapshot: ['benchmarks/snapshot/run.ts'],
  ledger: ['benchmarks/ledger/main.ts', '--json'],
  calls: ['benchmarks/calls/run.ts'],
  'sign-in': ['benchmarks/sign-in/run.ts'],
  gateway: ['benchmarks/gateway/overhead.ts'],
  scale: ['benchmarks/gateway/scale.ts'],
  shared: ['benchmarks/shared/run.ts'],
  crawl: ['benchmarks/crawl/run.ts', '--pages', '10000'],
  router: ['benchmarks/router/run.ts'],
  topics: ['benchmarks/topics/run.ts'],
  policy: ['benchmarks/policy/run.ts'],
  recording: ['benchmarks/recording/run.ts'],
  bridge: ['--expose-gc', 'benchmarks/bridge/run.ts'],
  research: ['--expose-gc', 'benchmarks/research/run.ts'],
  contradictions: ['benchmarks/research/contradictions.ts'],
  'hidden-text': ['benchmarks/hidden-text/run.ts'],
};

const name = process.argv[2] ?? '';
const command = BENCHMARKS[name];
if (command === undefined) {
  console.error(`Which benchmark? There are: ${Object.keys(BENCHMARKS).join(', ')}.`);
  process.exit(1);
}
const measuredOn = about(name);
const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', ...command], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0 || stdout.trim() === '') {
  console.error(`${name} measured nothing; see above.`);
  process.exit(1);
}
const figures = JSON.parse(stdout) as Record<string, unknown>;
// What the run was measured on is said once, in the same words for all.
for (const key of [...Object.keys(measuredOn), 'cpus']) delete figures[key];
mkdirSync(join(root, 'benchmarks/results'), { recursive: true });
writeFileSync(
  join(root, `benchmarks/results/${name}.json`),
  `${JSON.stringify({ ...measuredOn, figures }, null, 2)}\n`,
);
for (const file of writeResults()) console.error(`wrote ${file}`);
