import { attributeOf, type ElementNode, isText, textOf, type Tree } from '../parse/nodes.ts';

/** A footnote without a link from its reference. */
export interface LooseFootnote {
  ref: ElementNode;
  body: ElementNode;
  /** The number before the note, where it is an element. */
  number: ElementNode | undefined;
}

type Body = Pick<LooseFootnote, 'body' | 'number'>;

const NUMBERS_MAX = 500;
const BODY_BLOCKS_MAX = 5;
const BODY_TAGS = new Set(['p', 'li', 'div', 'dd', 'aside', 'section']);
const NAMED = /^(?:user-content-)?(?:fn|foot-?note|end-?note)[-_:.]?(\d{1,3})$/i;

/**
 * Finds superscript numbers and the notes that begin with them or have their number as id. Only the numbers
 * connect them, so they must be complete: from one on, each once and in order in the text, each once before
 * a later note.
 */
export function findLooseFootnotes(tree: Tree): LooseFootnote[] {
  if (!tree.elements.some(({ tag }) => tag === 'sup')) return [];
  const refs: [string, ElementNode][] = [];
  const bodies = [new Map<string, Body>(), new Map<string, Body>(), new Map<string, Body>()] as const;
  const [superscripts, bold, named] = bodies;
  for (const element of tree.elements) {
    if (refs.length > NUMBERS_MAX) return [];
    const id = element.isBlock ? attributeOf(element, 'id') : undefined;
    if (id !== undefined) add(named, NAMED.exec(id)?.[1], { body: element, number: undefined });
    const isSuperscript = element.tag === 'sup';
    if (!isSuperscript && element.tag !== 'strong' && element.tag !== 'b') continue;
    const label = numberIn(element);
    if (label === undefined) continue;
    const body = bodyBegunBy(element);
    if (body !== undefined) add(isSuperscript ? superscripts : bold, label, { body, number: element });
    else if (isSuperscript) refs.push([label, element]);
  }
  if (refs.length === 0) return [];
  return bodies.map((notes) => join(refs, notes, tree)).find((found) => found.length > 0) ?? [];
}

/** A second note of the same number spoils the first, too. */
function add(notes: Map<string, Body>, label: string | undefined, note: Body): void {
  if (label !== undefined) notes.set(notes.has(label) ? `${label} again` : label, note);
}

/** The number that is all of an element's text. */
function numberIn({ children: [only, another] }: ElementNode): string | undefined {
  if (only === undefined || another !== undefined) return undefined;
  const text = isText(only) ? only.text : only.children.length === 1 ? textOf(only) : '';
  // Raised digits are characters of their own.
  return /^\s*\[?([1-9]\d{0,2})\]?\s*$/.exec(text.slice(0, 12).normalize('NFKC'))?.[1];
}

/** The block that an element begins. */
function bodyBegunBy(element: ElementNode): ElementNode | undefined {
  let start = element;
  while (start.parent !== undefined && start.parent.children[0] === start) {
    start = start.parent;
    if (start.isBlock) return start;
  }
  return undefined;
}

function join(refs: [string, ElementNode][], notes: Map<string, Body>, tree: Tree): LooseFootnote[] {
  const found: LooseFootnote[] = [];
  for (const [label, ref] of refs) {
    if (Number(label) > notes.size) continue;
    const note = notes.get(label);
    if (note === undefined || Number(label) !== found.length + 1 || !canFollow(note.body, ref, tree))
      return [];
    found.push({ ref, ...note });
  }
  return found.length === notes.size ? found : [];
}

function canFollow({ tag, first, end, order }: ElementNode, ref: ElementNode, { blocks }: Tree): boolean {
  if (!BODY_TAGS.has(tag) || order < ref.order) return false;
  const text = blocks[first]?.text ?? '';
  return end - first <= BODY_BLOCKS_MAX && /\p{L}/u.test(text);
}
