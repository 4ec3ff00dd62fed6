// How well answers fit gold answers, and how sure that is.

export interface Scores {
  answered: number;
  exact: number;
  contains: number;
  f1: number;
  /** The share of citations that were verified; undefined where nothing is cited. */
  citations: number | undefined;
}

/** Words in small letters, without punctuation and articles. */
const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !/^(a|an|the)$/.test(word));

/** The best fit of an answer to one of the gold answers. */
export function fitOf(answer: string, golds: readonly string[]): Omit<Scores, 'citations'> {
  const given = words(answer);
  const best = { exact: 0, contains: 0, f1: 0 };
  for (const gold of golds.map(words)) {
    const [a, b] = [` ${given.join(' ')} `, ` ${gold.join(' ')} `];
    best.exact = Math.max(best.exact, Number(a === b));
    best.contains = Math.max(best.contains, Number(gold.length > 0 && a.includes(b)));
    best.f1 = Math.max(best.f1, overlap(given, gold));
  }
  return { answered: Number(given.length > 0), ...best };
}

function overlap(given: string[], gold: string[]): number {
  const left = new Map<string, number>();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared += 1;
  }
  return shared === 0 ? 0 : (2 * shared) / (given.length + gold.length);
}

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

const Z = 1.96;
const RESAMPLES = 2_000;

/** A mean with its interval of 95 %: Wilson's where every value is 0 or 1, and otherwise by resampling, always in the same way. */
export function intervalOf(values: readonly number[], isProportion: boolean): Interval {
  const n = values.length;
  const mean = n === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 0) return { mean, low: 0, high: 0 };
  if (!isProportion) return { mean, ...resampled(values) };
  const middle = (mean + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((mean * (1 - mean)) / n + (Z * Z) / (4 * n * n));
  return { mean, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function resampled(values: readonly number[]): Omit<Interval, 'mean'> {
  let state = 7;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let each = 0; each < values.length; each += 1)
      sum += values[Math.floor(next() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { low: means[Math.floor(RESAMPLES * 0.025)] ?? 0, high: means[Math.floor(RESAMPLES * 0.975)] ?? 0 };
}
