/**
 * Finds the known name at a position of the source, ignoring case and without copying it; undefined if it is
 * unknown.
 */
export type NameFinder = (source: string, start: number, end: number) => string | undefined;

const SLOTS = 4_096;

/** Creates a finder of these names, which must be in lower case. */
export function createNameFinder(names: Iterable<string>): NameFinder {
  const slots: string[][] = Array.from({ length: SLOTS }, () => []);
  for (const name of names) slots[slotOf(name, 0, name.length)]?.push(name);
  return (source, start, end) => {
    for (const name of slots[slotOf(source, start, end)] as string[])
      if (name.length === end - start && isSame(name, source, start)) return name;
    return undefined;
  };
}

/** Masks the bit that distinguishes upper from lower case. */
const CASELESS = 0xdf;

function slotOf(source: string, start: number, end: number): number {
  const first = source.charCodeAt(start) & CASELESS;
  const last = source.charCodeAt(end - 1) & CASELESS;
  const middle = source.charCodeAt((start + end) >> 1) & CASELESS;
  return (first * 7 + last * 131 + middle * 31 + (end - start) * 1_021) % SLOTS;
}

function isSame(name: string, source: string, start: number): boolean {
  for (let index = 0; index < name.length; index++) {
    const code = source.charCodeAt(start + index);
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}
