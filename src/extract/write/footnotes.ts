import type { ElementNode, Tree } from '../parse/nodes.ts';
import { findBodies } from './footnote-bodies.ts';
import { addWays, findMarks, leadsBack, type Mark } from './footnote-marks.ts';
import { findLooseFootnotes } from './loose-footnotes.ts';

/** The footnotes of a page: marks in its text, and the notes that they lead to. */
export interface Footnotes {
  /** What stands for an element: a mark; nothing where its note is left out; undefined where it is no mark. */
  markOf(element: ElementNode): string | undefined;
  /** Whether a link only leads from a note back to its mark. */
  isBackReference(link: ElementNode): boolean;
  isNote(element: ElementNode): boolean;
  /** A note as Markdown, from the blocks below its element; undefined where the element is none. */
  noteOf(element: ElementNode, blocks: string[]): string | undefined;
}

/**
 * Finds them by what all ways of writing them have in common: a short link, raised or called a footnote, to a place on the same page that tells
 * more than the label; and where no link does, by their numbers. `isKept` says whether a note is written at all: a mark without its note is noise.
 */
export function findFootnotes(
  tree: Tree,
  url: string | undefined,
  isKept: (note: ElementNode) => boolean,
): Footnotes {
  const { marks, ways } = findMarks(tree, url?.replace(/#.*$/s, ''));
  const bodies = marks.length === 0 ? new Map<string, ElementNode>() : findBodies(tree, marks);
  const labels = labelNotes(marks, bodies);
  const labelled = new Map<ElementNode, string>();
  const written = new Map<ElementNode, string>();
  for (const mark of marks) {
    const body = bodies.get(mark.target);
    const label = labels.get(mark.target);
    if (body === undefined || label === undefined) continue;
    const isWritten = isKept(body);
    // Brackets around a number may stand outside its link, and would stay.
    if (mark.kind === 'number' && !isWritten) continue;
    if (isWritten) labelled.set(body, label);
    written.set(mark.link, isWritten ? `[^${label}]` : '');
    addWays(ways, mark);
  }
  for (const [index, { mark, body, number }] of (labels.size > 0 ? [] : findLooseFootnotes(tree)).entries()) {
    const isWritten = isKept(body);
    if (isWritten) labelled.set(body, String(index + 1));
    written.set(mark, isWritten ? `[^${index + 1}]` : '');
    if (number !== undefined) written.set(number, '');
  }
  const hasSure = marks.some(({ kind }) => kind === 'sure') || labels.size > 0;
  return {
    markOf: (element) => written.get(element),
    isBackReference: (link) => hasSure && leadsBack(link, ways),
    isNote: (element) => labelled.has(element),
    noteOf: (element, blocks) => {
      const label = labelled.get(element);
      return label === undefined ? undefined : writeNote(label, blocks);
    },
  };
}

/** One label per note, by target. Where several targets or several labels share a note, nobody knows whose it is. */
function labelNotes(marks: Mark[], bodies: Map<string, ElementNode>): Map<string, string> {
  const owners = new Map<ElementNode, string>();
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  const torn = new Set<string>();
  const first = new Map<string, string>();
  /** Where to go on looking, or thousands of equal labels are counted again for each. */
  const next = new Map<string, number>();
  for (const { target, label } of marks) {
    const body = bodies.get(target);
    if (body === undefined) continue;
    const owner = owners.get(body) ?? target;
    if (owner !== target || (first.get(target) ?? label) !== label) torn.add(target).add(owner);
    owners.set(body, owner);
    if (first.has(target)) continue;
    first.set(target, label);
    let more = next.get(label) ?? 1;
    let free = more === 1 ? label : `${label}-${more}`;
    while (taken.has(free)) free = `${label}-${(more += 1)}`;
    next.set(label, more + 1);
    taken.add(free);
    labels.set(target, free);
  }
  for (const target of torn) labels.delete(target);
  return labels;
}

/** Without the label that pages write before a note, and without what is left of the links back. */
function writeNote(label: string, [first = '', ...others]: string[]): string | undefined {
  const bare = first.replace(REMAINS, '');
  const own = OWN_LABEL.exec(bare);
  const text = own?.[1] === label ? bare.slice(own[0].length).replace(REMAINS, '') : bare;
  const kept = [text, ...others].filter((block) => block !== '');
  return kept.length === 0 ? undefined : `[^${label}]: ${kept.join('\n\n    ')}`;
}

const REMAINS = /^(?:[\s^.,:↑]|\\?[[(][\s,]*\\?[\])])+/;
const OWN_LABEL = /^\\?[[(]?([^\s\\\])]{1,10})\\?(?:[\])]|(?=[\s.:(]|$))/;
