// What the policy costs a call: a decision over four levels of rules, and a look for secrets in what leaves. Microseconds of wall time;
// beside it, how many secrets of every kind are found and how many benign queries are taken for one.
import type { Policy } from '../../src/core/gate.ts';
import { POLICY_LEVELS } from '../../src/core/gate.ts';
import { decideIntent, rulesOf } from '../../src/policy/decide.ts';
import { createKnownValues } from '../../src/policy/known-values.ts';
import { scanInput, secretRulesOf } from '../../src/policy/outgoing.ts';
import { SECRET_KINDS } from '../../src/policy/secret-kinds.ts';
import { benignQueries } from '../../tests/support/benign-queries.ts';
import { nearMissesOf, sampleOf, textOf } from '../../tests/support/secret-samples.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { report } from '../report.ts';

const random = seededRandom(31);
const SAMPLES = 100;

/** The median and the 99th percentile over the list, after one round to warm up. */
function timesOf<Given>(list: readonly Given[], run: (given: Given) => void): { p50: number; p99: number } {
  for (const one of list) run(one);
  const once = (one: Given): number => {
    const started = process.hrtime.bigint();
    run(one);
    return Number(process.hrtime.bigint() - started) / 1_000;
  };
  // The best of three: others use the machine, too.
  const times = list.map((one) => Math.min(once(one), once(one), once(one)));
  times.sort((a, b) => a - b);
  const at = (share: number): number => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(1));
  return { p50: at(0.5), p99: at(0.99) };
}

const domains = (count: number): string[] =>
  Array.from({ length: count }, () => textOf('[a-z]{4,12}.example', random));
const levels = POLICY_LEVELS.flatMap((level) => {
  const policy: Policy = { allow: ['example', ...domains(100)], deny: domains(100), providers: ['brave'] };
  return rulesOf(level, policy) ?? [];
});
const urls = Array.from(
  { length: 20_000 },
  () => new URL(`https://${textOf('[a-z]{3,8}.[a-z]{3,8}.example', random)}/`),
);
const decide = timesOf(urls, (url) => void decideIntent({ kind: 'fetch', url }, levels));

const queries = benignQueries(random);
const own = createKnownValues(Array.from({ length: 20 }, () => textOf('[A-Za-z0-9]{40}', random)));
const rules = secretRulesOf([]);
const scan = (query: string) => scanInput({ query }, rules, own);
const long = queries.map((_query, at) =>
  [0, 1, 2, 3, 4, 5, 6]
    .map((next) => queries[(at * 7 + next) % queries.length])
    .join(' ')
    .slice(0, 400),
);

const isFound = (text: string): boolean => scan(text).decisions.length > 0;
let [found, wrong, near] = [0, 0, 0];
for (const kind of SECRET_KINDS) {
  for (let round = 0; round < SAMPLES; round += 1) {
    if (isFound(`why is ${sampleOf(kind, random)} refused`)) found += 1;
    const texts = nearMissesOf(kind, random);
    near += texts.length;
    wrong += texts.filter(isFound).length;
  }
}
report('policy', {
  decide,
  scan: timesOf(queries, scan),
  scan_400: timesOf(long, scan),
  kinds: SECRET_KINDS.length,
  samples: SECRET_KINDS.length * SAMPLES,
  found,
  near_misses: near,
  near_wrong: wrong,
  benign: queries.length,
  benign_wrong: queries.filter(isFound).length,
});
