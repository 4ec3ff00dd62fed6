/** The candidate that was most likely meant, or undefined when none is close. */
export function nearest(given: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((name) => ({ name, distance: editDistance(name, given) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= DISTANCE_MAX && best.distance < given.length
    ? best.name
    : undefined;
}

const DISTANCE_MAX = 3;
/** Longer words are nobody's typing mistake, and would take long to compare. */
const CHARS_MAX = 64;

function editDistance(a: string, b: string): number {
  if (a.length > CHARS_MAX || b.length > CHARS_MAX) return CHARS_MAX;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
