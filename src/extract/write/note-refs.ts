import { attributeOf, type ElementNode, isText, textOf, type Tree, type TreeNode } from '../parse/nodes.ts';

/** A link that looks like a reference to a footnote. */
export interface NoteRef {
  link: ElementNode;
  /** The id that it links to. */
  target: string;
  label: string;
  /**
   * How certain it is: by style or id, or only by a number, which the note has to confirm. A number without
   * brackets needs more proof.
   */
  kind: 'sure' | 'bracketed' | 'number';
}

const REFS_MAX = 5_000;
const LINK_CHARS_MAX = 40;
const NOTE_TARGET = /^(?:user-content-)?(?:fn|footnote|_ftn(?!ref)|cite_note|note|en)[-_:]?/i;
/** A place that can only be a note, and one that ends with the number of its note. */
const NOTE_PLACE =
  /^(?:user-content-)?(?:fn|foot-?note|_ftn|ftnt|cite_note|end-?note|note)s?[-_:.]?(?![-_:.]?(?:ref|back|anchor)s?(?![a-z]))\w/i;
const NUMBERED_PLACE = /(?:note|fn|ftn)[-_:.]?0{0,3}(\d{1,4})$/i;
const NOTE_NAME = /foot-?note|note-?ref/i;
const LABEL = /^(?:\d{1,4}|[a-z]{1,2}|[ivx]{1,5}|[*†‡§¶]{1,4}|(?:note|nb|fn)\.?\d{1,3})$/i;
const PLAIN_LABEL = /^(?:\d{1,4}|[*†‡§¶]{1,4})$/;

/** Finds the references in order, and the ids of the certain ones, to which notes link back. */
export function findNoteRefs(tree: Tree, url: string | undefined): { refs: NoteRef[]; ways: Set<string> } {
  const refs: NoteRef[] = [];
  const ways = new Set<string>();
  for (const link of tree.elements) {
    if (link.tag !== 'a' || refs.length >= REFS_MAX) continue;
    if (attributeOf(link, 'href')?.includes('#') !== true) continue;
    const text = textOf(link);
    const label = text.length > LINK_CHARS_MAX ? '' : text.replace(/[[\]()\s^]/g, '');
    // Manuals have thousands of links, so most are ruled out early.
    if (label === '' || label.length > 10 || !canBeRef(link, label)) continue;
    const target = placeOf(link, url);
    if (target === undefined || leadsBack(link, ways)) continue;
    const kind = kindOf(link, text, label, target);
    if (kind === undefined) continue;
    const ref = { link, target, label, kind };
    refs.push(ref);
    if (kind === 'sure') addWays(ways, ref);
  }
  return { refs: withoutRivals(refs), ways };
}

/** A number that leads to the note of a ref that is sure is a link: it may be called otherwise. */
function withoutRivals(refs: NoteRef[]): NoteRef[] {
  const sure = new Set(refs.flatMap(({ kind, target }) => (kind === 'sure' ? [target] : [])));
  return refs.filter(({ kind, target }) => kind === 'sure' || !sure.has(target));
}

const canBeRef = (link: ElementNode, label: string): boolean =>
  PLAIN_LABEL.test(label) || isSuperscript(link) || isNamed(link);

function kindOf(link: ElementNode, text: string, label: string, target: string): NoteRef['kind'] | undefined {
  if (isSuperscript(link) || isNamed(link))
    return LABEL.test(label) || NOTE_TARGET.test(target) ? 'sure' : undefined;
  if (!PLAIN_LABEL.test(label)) return undefined;
  if (NOTE_PLACE.test(target) || NUMBERED_PLACE.exec(target)?.[1] === label) return 'sure';
  return text.trim().startsWith('[') ? 'bracketed' : 'number';
}

const isSuperscript = ({ parent, children }: ElementNode): boolean =>
  parent?.tag === 'sup' || parent?.parent?.tag === 'sup' || children.some(({ tag }) => tag === 'sup');

const isNamed = (link: ElementNode): boolean =>
  NOTE_NAME.test(`${attributeOf(link, 'class') ?? ''} ${attributeOf(link, 'role') ?? ''}`);

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

/** Adds the ids at and around a reference. */
export function addWays(ways: Set<string>, { link }: NoteRef): void {
  for (const place of [link, link.parent, ...link.children]) addIds(ways, place);
}

function addIds(ids: Set<string>, node: TreeNode | undefined): void {
  if (node === undefined || isText(node)) return;
  for (const name of ['id', 'name']) {
    const id = attributeOf(node, name);
    if (id !== undefined && id !== '') ids.add(id);
  }
}

/** Whether a link only leads from a note back to its reference. */
export function leadsBack(link: ElementNode, ways: Set<string>): boolean {
  const fragment = fragmentOf(link);
  if (fragment === undefined) return false;
  return (
    ways.has(fragment) || BACK.test(fragment) || /^[\s\u21A9\u2191^\u23CE]+\uFE0E?\s*$/.test(textOf(link))
  );
}

const BACK = /^(?:user-content-)?(?:fnref|_ftnref|ftnt_ref|cite_ref|foot-?note-?ref|noteref)/i;

/** The fragment of a link, on any page. */
export function fragmentOf(link: ElementNode): string | undefined {
  const href = attributeOf(link, 'href');
  const at = href?.indexOf('#') ?? -1;
  return href === undefined || at === -1 ? undefined : decoded(href.slice(at + 1));
}
