/** The words of a text as the benchmarks count them. */
export const tokenize = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

const GRAM = 3;

/** How much of each block stands in the gold text: the share of its word triples; short blocks must be a line or a run of it. */
export function labelByGold(blocks: string[][], gold: string): number[] {
  const words = tokenize(gold);
  const triples = grams(words, GRAM);
  const pairs = grams(words, 2);
  const singles = new Set(words);
  const lines = new Set(gold.split('\n').map((line) => tokenize(line).join(' ')));
  return blocks.map((tokens) => {
    if (tokens.length === 0) return 0;
    if (tokens.length >= GRAM) return shareIn(tokens, triples);
    if (lines.has(tokens.join(' '))) return 1;
    const isThere = tokens.length === 2 ? pairs.has(tokens.join(' ')) : singles.has(tokens[0] as string);
    return isThere ? 0.5 : 0;
  });
}

function shareIn(tokens: string[], triples: Set<string>): number {
  let found = 0;
  const count = tokens.length - GRAM + 1;
  for (let index = 0; index < count; index++)
    if (triples.has(tokens.slice(index, index + GRAM).join(' '))) found += 1;
  return found / count;
}

function grams(words: string[], size: number): Set<string> {
  const out = new Set<string>();
  for (let index = 0; index + size <= words.length; index++)
    out.add(words.slice(index, index + size).join(' '));
  return out;
}

/** Labels from a few marked passages: 1 for blocks with a wanted one, 0 with an unwanted one, undefined where nothing is known. */
export function labelBySegments(
  texts: string[],
  wanted: string[],
  unwanted: string[],
): (number | undefined)[] {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const [yes, no] = [wanted.map(plain), unwanted.map(plain)];
  return texts.map((raw) => {
    const text = plain(raw);
    const matches = (segment: string): boolean =>
      text.includes(segment) || (text.length >= 25 && segment.includes(text));
    const isWanted = yes.some(matches);
    const isUnwanted = no.some(matches);
    if (isWanted === isUnwanted) return undefined;
    return isWanted ? 1 : 0;
  });
}
