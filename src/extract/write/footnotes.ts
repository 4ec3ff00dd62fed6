import { attributeOf, type ElementNode, isText, textOf, type Tree, type TreeNode } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';

/** The footnotes of a page: marks in its text, and the notes that they lead to. */
export interface Footnotes {
  /** What stands for a link: a mark; nothing where its note is left out; undefined where it is an ordinary link. */
  markOf(link: ElementNode): string | undefined;
  /** Whether a link only leads from a note back to its mark. */
  isBackReference(link: ElementNode): boolean;
  isNote(element: ElementNode): boolean;
  /** A note as Markdown, from the blocks below its element; undefined where the element is none. */
  noteOf(element: ElementNode, blocks: string[]): string | undefined;
}

/**
 * Finds them by what all ways of writing them have in common: a short link, raised or called a footnote, to a place on the same page that tells
 * more than the label. `isKept` says whether a note is written at all: a mark without its note is noise.
 */
export function findFootnotes(
  tree: Tree,
  url: string | undefined,
  isKept: (note: ElementNode) => boolean,
): Footnotes {
  const { marks, ways } = findMarks(tree, url?.replace(/#.*$/s, ''));
  const notes = marks.length === 0 ? new Map<string, ElementNode>() : findNotes(tree, marks);
  const labels = labelNotes(marks, notes);
  const labelled = new Map<ElementNode, string>();
  const written = new Map<ElementNode, string>();
  for (const { link, target } of marks) {
    const note = notes.get(target);
    const label = labels.get(target);
    if (note === undefined || label === undefined) continue;
    if (isKept(note)) labelled.set(note, label);
    written.set(link, isKept(note) ? `[^${label}]` : '');
  }
  return {
    markOf: (link) => written.get(link),
    isBackReference: (link) => marks.length > 0 && leadsBack(link, ways),
    isNote: (element) => labelled.has(element),
    noteOf: (element, blocks) => {
      const label = labelled.get(element);
      return label === undefined ? undefined : writeNote(label, blocks);
    },
  };
}

interface Mark {
  link: ElementNode;
  /** The id it leads to. */
  target: string;
  label: string;
}

const MARKS_MAX = 5_000;
const NOTE_BLOCKS_MAX = 40;
const NOTE_TARGET = /^(?:user-content-)?(?:fn|footnote|_ftn(?!ref)|cite_note|note|en)[-_:]?/i;
const NOTE_NAME = /foot-?note|note-?ref/i;
const LABEL = /^(?:\d{1,4}|[a-z]{1,2}|[ivx]{1,5}|[*†‡§¶]{1,4}|(?:note|nb|fn)\.?\d{1,3})$/i;

/** The marks in order, and the ids of their places, to which notes lead back. */
function findMarks(tree: Tree, url: string | undefined): { marks: Mark[]; ways: Set<string> } {
  const marks: Mark[] = [];
  const ways = new Set<string>();
  for (const link of tree.elements) {
    if (link.tag !== 'a' || marks.length >= MARKS_MAX) continue;
    const isRaised = link.parent?.tag === 'sup' || link.children.some(({ tag }) => tag === 'sup');
    if (
      !isRaised &&
      !NOTE_NAME.test(`${attributeOf(link, 'class') ?? ''} ${attributeOf(link, 'role') ?? ''}`)
    )
      continue;
    const target = placeOf(link, url);
    if (target === undefined || leadsBack(link, ways)) continue;
    const label = textOf(link).replace(/[[\]()\s^]/g, '');
    if (label === '' || label.length > 10) continue;
    if (!LABEL.test(label) && !NOTE_TARGET.test(target)) continue;
    marks.push({ link, target, label });
    for (const place of [link, link.parent, ...link.children]) addIds(ways, place);
  }
  return { marks, ways };
}

/** The id of the place on this page that a link leads to. */
function placeOf(link: ElementNode, url: string | undefined): string | undefined {
  const href = attributeOf(link, 'href');
  const at = href?.indexOf('#') ?? -1;
  if (href === undefined || at === -1 || at === href.length - 1) return undefined;
  if (at > 0 && (url === undefined || URL.parse(href.slice(0, at), url)?.href !== url)) return undefined;
  return decoded(href.slice(at + 1));
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function addIds(ids: Set<string>, node: TreeNode | undefined): void {
  if (node === undefined || isText(node)) return;
  for (const name of ['id', 'name']) {
    const id = attributeOf(node, name);
    if (id !== undefined && id !== '') ids.add(id);
  }
}

function leadsBack(link: ElementNode, ways: Set<string>): boolean {
  const href = attributeOf(link, 'href');
  if (href === undefined) return false;
  const at = href.indexOf('#');
  if (at === -1) return false;
  if (ways.has(decoded(href.slice(at + 1)))) return true;
  return (
    /^#(?:user-content-)?(fnref|_ftnref|cite_ref|footnote-?ref|ref)/i.test(href.slice(at)) ||
    /^[\s\u21A9\u2191^\u23CE]+\uFE0E?\s*$/.test(textOf(link))
  );
}

/** The elements that hold the notes, by the ids that marks lead to. */
function findNotes(tree: Tree, marks: Mark[]): Map<string, ElementNode> {
  const wanted = new Map(marks.map(({ target, label }) => [target, label]));
  const notes = new Map<string, ElementNode>();
  for (const element of tree.elements) {
    const id = attributeOf(element, 'id') ?? (element.tag === 'a' ? attributeOf(element, 'name') : undefined);
    const label = id === undefined ? undefined : wanted.get(id);
    if (id === undefined || label === undefined || notes.has(id)) continue;
    const note = holderOf(element, label, tree);
    if (note !== undefined) notes.set(id, note);
  }
  return notes;
}

/** The block around a place that says more than the label; a term in a list of definitions has it beside itself. */
function holderOf(place: ElementNode, label: string, tree: Tree): ElementNode | undefined {
  if (place.tag === 'dt') {
    const siblings = place.parent?.children ?? [];
    const next = siblings.slice(siblings.indexOf(place) + 1).find((node) => !isText(node));
    return next?.tag === 'dd' ? next : undefined;
  }
  let holder: ElementNode | undefined = place;
  for (let level = 0; level < LEVELS_MAX && holder !== undefined; level += 1) {
    if (NO_NOTES.has(holder.tag) || HEADING_TAGS.has(holder.tag)) return undefined;
    if (holder.end - holder.first > NOTE_BLOCKS_MAX || beginsSection(holder, tree)) return undefined;
    if (holder.isBlock && charsOf(holder, tree) > label.length) return holder;
    holder = holder.parent;
  }
  return undefined;
}

const LEVELS_MAX = 6;

const beginsSection = ({ first, end }: ElementNode, { blocks }: Tree): boolean =>
  first < end && HEADING_TAGS.has(blocks[first]?.element.tag ?? '');

const charsOf = ({ first, end }: ElementNode, { blocks }: Tree): number =>
  blocks
    .slice(first, end)
    .reduce((sum, { text }) => sum + (text.length > 40 ? 40 : text.replace(/[[\]()\s^.:,]/g, '').length), 0);

const NO_NOTES = new Set([
  'td',
  'th',
  'tr',
  'tbody',
  'thead',
  'ol',
  'ul',
  'dl',
  'body',
  'html',
  'main',
  'article',
]);

/** One label per note, by target. Where several targets or several labels share a note, nobody knows whose it is. */
function labelNotes(marks: Mark[], notes: Map<string, ElementNode>): Map<string, string> {
  const owners = new Map<ElementNode, string>();
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  const torn = new Set<string>();
  const first = new Map<string, string>();
  /** Where to go on looking, or thousands of equal labels are counted again for each. */
  const next = new Map<string, number>();
  for (const { target, label } of marks) {
    const note = notes.get(target);
    if (note === undefined) continue;
    if ((owners.get(note) ?? target) !== target || (first.get(target) ?? label) !== label) torn.add(target);
    owners.set(note, owners.get(note) ?? target);
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
const OWN_LABEL = /^\\?[[(]?([^\s\\\])]{1,10})\\?[\])]?(?=[\s.:(]|$)/;
