import { createCascade } from '../parse/cascade.ts';
import { type Colour, readColour, WHITE } from '../parse/colour.ts';
import { attributeOf, type ElementNode, noteRemoved, skip, textOf, type Tree } from '../parse/nodes.ts';
import { readStyleRules, type StyleRule } from '../parse/style-sheet.ts';
import * as values from '../parse/style-values.ts';
import type { Pass, PassPage } from './pass.ts';

/** Drops kept text that styles hide, unless it is much: pages hide what their scripts show, and nothing else tells it. */
export const unseenText = {
  name: 'unseen-text',
  why: 'The style of the page hides it, no control opens it, and it is a small part of the text.',
  madeFor: 'hostile pages: instructions for machines that people do not see',
  run: dropUnseen,
} satisfies Pass;

/** What hides a larger share of the kept text is taken for content that a script shows. */
const SHARE_MAX = 0.25;
/** Accordions, tabs and animated sections come in numbers: the share for what hides at least so many blocks. */
const [SEVERAL, SHARE_MAX_SEVERAL] = [3, 0.05];
/** On a page without scripts nothing shows it, unless the page was stripped of them: then it hides most of itself. */
const SHARE_MAX_STILL = 0.5;

type UnseenPage = Pick<PassPage, 'tree' | 'keep' | 'hiddenChars' | 'removed'>;

function dropUnseen(page: UnseenPage): void {
  const { tree, keep } = page;
  const lookOf = createEye(tree);
  const groups = new Map<string, Hidden[]>();
  const note = ({ hidden, rule }: Look, one: Hidden): void => {
    const group = groups.get(`${hidden} ${rule}`);
    if (group === undefined) groups.set(`${hidden} ${rule}`, [one]);
    else group.push(one);
  };
  let kept = 0;
  for (const [index, { element, text }] of tree.blocks.entries()) {
    if (keep[index] !== 1) continue;
    kept += text.length;
    const look = lookOf(element);
    if (look.hidden !== '') note(look, { index, why: look.hidden, chars: text.length });
  }
  for (const element of tree.elements) {
    const { isBlock, holdsBlocks, skipped, first, end, parent } = element;
    const isInline = !isBlock && !holdsBlocks && !skipped && end > first && keep[first] === 1;
    if (!isInline || tree.blocks[first]?.element === element) continue;
    const look = lookOf(element);
    if (look.hidden !== '' && parent !== undefined && lookOf(parent).hidden === '')
      note(look, { index: first, element, why: look.hidden, chars: textOf(element).trim().length });
  }
  for (const hidden of groups.values()) {
    const usual = hidden.length < SEVERAL ? SHARE_MAX : SHARE_MAX_SEVERAL;
    const share = tree.head.scripts.length > 0 ? usual : SHARE_MAX_STILL;
    if (hidden.reduce((sum, { chars }) => sum + chars, 0) > share * kept) continue;
    for (const one of hidden) drop(page, one);
  }
}

type Hidden = { index: number; why: string; chars: number; element?: ElementNode };

function drop(page: UnseenPage, { index, element, why, chars }: Hidden): void {
  const block = page.tree.blocks[index];
  if (block === undefined || page.keep[index] !== 1) return;
  if (element !== undefined) {
    const text = textOf(element).replace(/\s+/g, ' ').trim();
    const at = text === '' ? -1 : block.text.indexOf(text);
    if (at < 0) return;
    block.text =
      `${block.text.slice(0, at).trimEnd()} ${block.text.slice(at + text.length).trimStart()}`.trim();
    skip(element);
    noteRemoved(page.removed, why, text);
  } else noteRemoved(page.removed, why, block.text.slice(0, 1_000));
  page.hiddenChars += chars;
  if (element === undefined || block.text === '') page.keep[index] = 0;
}

/** How an element looks: why its text is not seen, by which rule, and whether nothing in it can be. */
type Look = typeof PLAIN;
const PLAIN = { hidden: '', rule: -1, isDeep: false, opacity: 1, fontSize: 16, visibility: '', colour: '' };
const NEVER_SHOWN = new Set(['noscript', 'video', 'audio']);
const UNSEEN_AT_FIRST = new Set(['hidden', 'popover', 'color']);
const WORST = Object.entries({ 'overflow-x': 'hidden', 'overflow-y': 'hidden', position: 'absolute' });

/** Creates a function that tells how an element looks. It remembers, so ancestors are looked at once. */
function createEye(tree: Tree): (element: ElementNode) => Look {
  let controls: Map<string, ElementNode> | undefined;
  const isWhole = !tree.head.links.some(({ rel }) => rel.includes('stylesheet'));
  const cascade = createCascade(readStyleRules(tree.sheets), isWhole);
  const looks = new Map<ElementNode, Look>();
  const lookOf = (element: ElementNode): Look => {
    let look = looks.get(element);
    if (look === undefined) looks.set(element, (look = read(element)));
    return look;
  };
  const read = (element: ElementNode): Look => {
    const around = element.parent === undefined ? PLAIN : lookOf(element.parent);
    if (around.isDeep) return around;
    if (NEVER_SHOWN.has(element.tag)) return { ...around, hidden: element.tag, isDeep: true };
    const isOwn =
      element.tag === 'dialog' ||
      element.attributes.some((name, at) => at % 2 === 0 && UNSEEN_AT_FIRST.has(name));
    const hiders = cascade.hidersOf(element);
    if (!isOwn && around.hidden === '') {
      if (hiders === undefined || holdsFormula(tree, element)) return around;
      if (!canHide(cascade.worstOf(element, hiders), around)) return around;
    }
    const look = judge(element, around, cascade.styleOf(element));
    if (look.hidden === '' || look.hidden === around.hidden) return look;
    // A control inside of it does not count.
    looks.set(element, look);
    const control = (controls ??= findControls(tree)).get(attributeOf(element, 'id') ?? '');
    const isOpened = control !== undefined && lookOf(control).hidden === '';
    return isOpened ? around : { ...look, rule: blame(hiders ?? [], look) };
  };
  const canHide = (style: values.Style, around: Look): boolean => {
    for (const [name, value] of WORST) if (!style.has(name)) style.set(name, value);
    const look = see(style, around);
    if (look.hidden !== '' || look.opacity < around.opacity) return true;
    const colour = values.letterColour(style);
    return colour !== undefined && ((colour[3] as number) < 0.5 || isWhole || style.has('background-color'));
  };
  const judge = (element: ElementNode, around: Look, style: values.Style): Look => {
    const look = see(style, around);
    if (look.hidden !== '' || values.letterColour(style) === undefined) return look;
    return values.isLost(style, backgroundOf(element, style)) ? { ...look, hidden: 'same colour' } : look;
  };
  /** What lies behind the letters, or undefined if a picture or a sheet that was not read may. */
  const backgroundOf = (start: ElementNode, own: values.Style): Colour | undefined => {
    for (let element: ElementNode | undefined = start; element !== undefined; element = element.parent) {
      const style = element === start ? own : cascade.styleOf(element);
      const colour = readColour(style.get('background-color'));
      const isKnown = (style.get('background-image') ?? 'none') === 'none';
      if (isKnown && colour !== undefined && (colour[3] as number) > 0.5) return colour;
      if (!isKnown || !isWhole) return undefined;
    }
    return WHITE;
  };
  return lookOf;
}

/** The last of the rules that hide an element in this way on their own. */
const blame = (rules: StyleRule[], { hidden }: Look): number =>
  (rules.findLast(({ body }) => see(values.readStyle(body), PLAIN).hidden === hidden) ?? rules[0])?.order ??
  -1;

function see(style: values.Style, around: Look): Look {
  const size = values.lengthOf(style.get('font-size'), around.fontSize, around.fontSize);
  const inherit = (name: string, value: string): string => {
    const own = style.get(name) ?? 'inherit';
    if (own === 'inherit' && value !== '') style.set(name, value);
    return own === 'inherit' ? value : own;
  };
  const look: Look = {
    ...PLAIN,
    opacity: around.opacity * values.opacityOf(style),
    fontSize: Number.isNaN(size) ? (style.has('font-size') ? 16 : around.fontSize) : size,
    visibility: inherit('visibility', around.visibility),
    colour: inherit('color', around.colour),
  };
  const box = values.judgeBox(style) || (values.isFaint(look.opacity) ? 'transparent' : '');
  if (box !== '') return { ...look, hidden: box, isDeep: true };
  if (/^(?:hidden|collapse)/.test(look.visibility)) return { ...look, hidden: 'visibility:hidden' };
  return values.isTiny(look.fontSize) ? { ...look, hidden: 'zero size' } : look;
}

/** Formulas are written for the ear beside their drawing. */
const holdsFormula = ({ elements }: Tree, { order, tag }: ElementNode): boolean =>
  tag === 'mjx-assistive-mml' || (order >= 0 && elements[order + 1]?.tag === 'math');

const TARGETS = ['aria-controls', 'data-target', 'data-bs-target', 'popovertarget', 'commandfor', 'href'];
const IDS_MAX = 5_000;

/**
 * The controls of a page by the ids that they open; of several the last. A plain link opens nothing without a script, which a
 * tab says that it has.
 */
function findControls({ elements, head }: Tree): Map<string, ElementNode> {
  const found = new Map<string, ElementNode>();
  const isTab = (element: ElementNode): boolean =>
    head.scripts.length > 0 || attributeOf(element, 'role') === 'tab';
  for (const element of elements) {
    if (element.attributes.length === 0 || element.hidden !== '') continue;
    for (const name of TARGETS) {
      const value = attributeOf(element, name);
      if (value === undefined || found.size >= IDS_MAX) continue;
      if (name === 'href' && !(value.startsWith('#') && isTab(element))) continue;
      for (const word of value.slice(0, 400).split(/\s+/)) found.set(word.replace(/^#/, ''), element);
    }
  }
  return found;
}
