/**
 * Counts tokens as o200k does. The tokenizer takes a third of a second and 20 MB to load, so it is imported
 * only when the byte count does not settle the question. In a bundle, which does not have its table, they are estimated.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0;
  const count = await tokenizer();
  return runsOf(text).reduce((sum, run) => sum + count(run), 0);
}

/** True when a text certainly fits: there are never more tokens than UTF-8 bytes. */
export const bytesFit = (text: string, tokensMax: number): boolean =>
  // A UTF-16 unit is one to three bytes, so counting is needed only in between.
  text.length * 3 <= tokensMax ||
  (text.length <= tokensMax && new TextEncoder().encode(text).length <= tokensMax);

/** A cheap estimate, within some ten percent for ordinary text. It never proves that something fits. */
export function estimateTokens(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += tokensOf(text.charCodeAt(at));
  return Math.ceil(sum);
}

/** The offset at which the estimate reaches a number of tokens, or the length of the text. */
export function placeOfTokens(text: string, tokens: number): number {
  let sum = 0;
  let at = 0;
  while (at < text.length && sum < tokens) {
    sum += tokensOf(text.charCodeAt(at));
    at += 1;
  }
  return at;
}

/** Tokens per UTF-16 unit up to a code, fitted on pages, code and passages in a dozen languages. */
const WEIGHTS: [upTo: number, tokens: number][] = [
  [0x20, 0.05],
  [0x2f, 0.58],
  [0x39, 0.8],
  [0x40, 0.58],
  [0x5a, 0.22],
  [0x60, 0.58],
  [0x7a, 0.22],
  [0xbf, 0.58],
  [0x24f, 1],
  [0x36f, 1],
  [0x3ff, 0.4],
  [0x52f, 0.29],
  [0x5ff, 0.39],
  [0x6ff, 0.35],
  [0xfff, 0.4],
  [0x1dff, 1],
  [0x1eff, 0.5],
  [0x303f, 0.64],
  [0x309f, 0.85],
  [0x30ff, 0.77],
  [0x9fff, 0.84],
  [0xabff, 1],
  [0xd7af, 0.74],
  [0xffff, 1],
];

let weights: Float32Array | undefined;

function tokensOf(code: number): number {
  if (weights === undefined) {
    weights = new Float32Array(0x10000);
    let from = 0;
    for (const [upTo, tokens] of WEIGHTS) {
      weights.fill(tokens, from, upTo + 1);
      from = upTo + 1;
    }
  }
  return weights[code] ?? 1;
}

let loaded: Promise<(text: string) => number> | undefined;

function tokenizer(): Promise<(text: string) => number> {
  loaded ??= import('./tokenizer.ts').then(
    ({ countOpenAiTokens }) => countOpenAiTokens,
    () => estimateTokens,
  );
  return loaded;
}

/**
 * The tokenizer takes quadratic time for a run without a break (50,000 letters: 14 s), so longer runs are
 * counted in parts. That adds at most a token or two per part and never removes one.
 */
const RUN_CHARS_MAX = 256;
const LONG_RUN = /[\p{L}\p{M}]{257,}|[^\s\p{L}\p{N}]{257,}|\s{257,}/u;

function runsOf(text: string): string[] {
  if (!LONG_RUN.test(text)) return [text];
  const runs: string[] = [];
  let place = 0;
  for (const found of text.matchAll(new RegExp(LONG_RUN, 'gu'))) {
    runs.push(text.slice(place, found.index));
    place = found.index + found[0].length;
    for (let at = found.index; at < place; at += RUN_CHARS_MAX) {
      runs.push(text.slice(at, Math.min(place, at + RUN_CHARS_MAX)));
    }
  }
  runs.push(text.slice(place));
  return runs.filter((run) => run !== '');
}
