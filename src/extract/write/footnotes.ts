import type { ElementNode, Tree } from '../parse/nodes.ts';
import { findBodies } from './footnote-bodies.ts';
import { addWays, findNoteRefs, leadsBack, type NoteRef } from './note-refs.ts';
import { findLooseFootnotes } from './loose-footnotes.ts';

/** The footnotes of a page: references in its text, and the notes that they link to. */
export interface Footnotes {
  /**
   * The Markdown of a reference; empty if its note is left out, undefined if the element is not a reference.
   */
  noteRefOf(element: ElementNode): string | undefined;
  /** Whether a link only leads from a note back to its reference. */
  isBackReference(link: ElementNode): boolean;
  isNote(element: ElementNode): boolean;
  /** A note as Markdown, from the blocks of its element; undefined if the element is not a note. */
  noteOf(element: ElementNode, blocks: string[]): string | undefined;
}

/**
 * Finds footnotes by a short link, in superscript or named as a footnote, to a note on the same page; or,
 * without links, by their numbers. `isKept` tells whether a note is written at all: a reference without its
 * note is noise.
 */
export function findFootnotes(
  tree: Tree,
  url: string | undefined,
  isKept: (note: ElementNode) => boolean,
): Footnotes {
  const { refs, ways } = findNoteRefs(tree, url?.replace(/#.*$/s, ''));
  const bodies = refs.length === 0 ? new Map<string, ElementNode>() : findBodies(tree, refs);
  const labels = labelNotes(refs, bodies);
  const labelled = new Map<ElementNode, string>();
  const written = new Map<ElementNode, string>();
  for (const ref of refs) {
    const body = bodies.get(ref.target);
    const label = labels.get(ref.target);
    if (body === undefined || label === undefined) continue;
    const isWritten = isKept(body);
    // The brackets around a number may be outside of its link, and would remain.
    if (ref.kind === 'number' && !isWritten) continue;
    if (isWritten) labelled.set(body, label);
    written.set(ref.link, isWritten ? `[^${label}]` : '');
    addWays(ways, ref);
  }
  for (const [index, { ref, body, number }] of (labels.size > 0 ? [] : findLooseFootnotes(tree)).entries()) {
    const isWritten = isKept(body);
    if (isWritten) labelled.set(body, String(index + 1));
    written.set(ref, isWritten ? `[^${index + 1}]` : '');
    if (number !== undefined) written.set(number, '');
  }
  const hasSure = refs.some(({ kind }) => kind === 'sure') || labels.size > 0;
  return {
    noteRefOf: (element) => written.get(element),
    isBackReference: (link) => hasSure && leadsBack(link, ways),
    isNote: (element) => labelled.has(element),
    noteOf: (element, blocks) => {
      const label = labelled.get(element);
      return label === undefined ? undefined : writeNote(label, blocks);
    },
  };
}

/** One label per note, by target. Where several targets or several labels share a note, nobody knows whose it is. */
function labelNotes(refs: NoteRef[], bodies: Map<string, ElementNode>): Map<string, string> {
  const owners = new Map<ElementNode, string>();
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  const torn = new Set<string>();
  const first = new Map<string, string>();
  /** Where to go on looking, or thousands of equal labels are counted again for each. */
  const next = new Map<string, number>();
  for (const { target, label } of refs) {
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
