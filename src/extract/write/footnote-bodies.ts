import { attributeOf, type ElementNode, type Tree } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import { fragmentOf, type NoteRef } from './note-refs.ts';

const NOTE_BLOCKS_MAX = 40;
const LEVELS_MAX = 6;
const NO_NOTES = new Set('td th tr tbody thead ol ul dl body html main article'.split(' '));

/**
 * Finds the elements of the notes, by the ids that references link to. For a paragraph that is only
 * separated by line breaks, it is the first element in it.
 */
export function findBodies(tree: Tree, refs: NoteRef[]): Map<string, ElementNode> {
  const wanted = new Map(refs.map((ref) => [ref.target, ref]));
  const bodies = new Map<string, ElementNode>();
  const isParted = createPartedJudge();
  const take = (place: ElementNode, id: string | undefined): void => {
    const ref = id === undefined ? undefined : wanted.get(id);
    if (ref === undefined || bodies.has(ref.target)) return;
    const body = holderOf(place, ref.label, tree, isParted);
    if (body !== undefined && bearsOut(ref, place, body, tree)) bodies.set(ref.target, body);
  };
  for (const element of tree.elements) {
    const id = attributeOf(element, 'id') ?? (element.tag === 'a' ? attributeOf(element, 'name') : undefined);
    if (id !== undefined) take(element, id);
  }
  if (bodies.size === wanted.size) return bodies;
  // Notes of Word have no ids when a page was copied: only the links back are left, `_ftnref1` for `_ftn1`.
  for (const element of tree.elements) {
    const way = element.tag === 'a' ? fragmentOf(element) : undefined;
    if (way?.includes('ref') === true) take(element, way.replace(/_?ref/, ''));
  }
  return bodies;
}

/** A number is only a ref where the note begins with the same one, or where it is an item of a numbered list. */
function bearsOut({ kind, label }: NoteRef, place: ElementNode, body: ElementNode, tree: Tree): boolean {
  if (kind === 'sure') return true;
  const text = tree.blocks[place.first]?.text ?? '';
  if (text.startsWith(`[${label}]`)) return true;
  return (
    kind === 'bracketed' && (beginsWith(text, label) || (body.tag === 'li' && body.parent?.tag === 'ol'))
  );
}

function beginsWith(text: string, label: string): boolean {
  const bare = text.slice(0, 20).replace(/^[\s[(^]+/, '');
  return bare.startsWith(label) && !/^[\p{L}\p{N}]/u.test(bare.slice(label.length));
}

type PartedJudge = (element: ElementNode) => boolean;

/** Whether line breaks part an element into paragraphs. One per page: many notes stand in the same element. */
function createPartedJudge(): PartedJudge {
  const known = new Map<ElementNode, boolean>();
  return (element) => {
    let isParted = known.get(element);
    if (isParted === undefined) {
      isParted =
        element.tag !== 'li' &&
        holdsParagraphs(element) &&
        element.children.some(({ tag }) => tag === '#paragraph');
      known.set(element, isParted);
    }
    return isParted;
  };
}

/** Whether the paragraphs of an element are written as such, not as lines of one. */
function holdsParagraphs(element: ElementNode): boolean {
  let holder: ElementNode | undefined = element;
  while (holder?.holdsBlocks === true) holder = holder.parent;
  return holder?.isBlock === true;
}

/** The block around a place that says more than the label; a term and a heading that only say the label have it beside themselves. */
function holderOf(
  place: ElementNode,
  label: string,
  tree: Tree,
  isParted: PartedJudge,
): ElementNode | undefined {
  if (place.tag === 'dt') return nextElement(place, tree, 'dd');
  let holder: ElementNode | undefined = place;
  for (let level = 0; level < LEVELS_MAX && holder !== undefined; level += 1) {
    if (HEADING_TAGS.has(holder.tag))
      return charsOf(holder, tree) > label.length ? undefined : nextElement(holder, tree, 'p');
    if (NO_NOTES.has(holder.tag)) return undefined;
    if (holder.end - holder.first > NOTE_BLOCKS_MAX || beginsSection(holder, tree)) return undefined;
    if (holder.isBlock && charsOf(holder, tree) > label.length) return holder;
    const { parent }: ElementNode = holder;
    if (!holder.isBlock && parent !== undefined && isParted(parent))
      if (beginsWith(tree.blocks[place.first]?.text ?? '', label)) return holder;
    holder = parent;
  }
  return undefined;
}

const STEPS_MAX = 20;

/** The element that follows in the same parent, if it has this tag. */
function nextElement(element: ElementNode, { elements }: Tree, tag: string): ElementNode | undefined {
  for (const next of elements.slice(element.order + 1, element.order + STEPS_MAX))
    if (next.parent === element.parent) return next.tag === tag ? next : undefined;
  return undefined;
}

const beginsSection = ({ first, end }: ElementNode, { blocks }: Tree): boolean =>
  first < end && HEADING_TAGS.has(blocks[first]?.element.tag ?? '');

const charsOf = ({ first, end }: ElementNode, { blocks }: Tree): number =>
  blocks
    .slice(first, end)
    .reduce((sum, { text }) => sum + (text.length > 40 ? 40 : text.replace(/[[\]()\s^.:,]/g, '').length), 0);
