import { type ElementNode, isText, textOf } from './nodes.ts';
import { readAttribute, decodeText } from './attributes.ts';
import { addChild } from './elements.ts';
import { addText, type Builder } from './gather-text.ts';

/**
 * Gives a cell without text the meaning of its icon, such as the check mark in a feature table. The text
 * becomes a child of the image, so that a writer that shows the image does not repeat it.
 */
export function endCell(builder: Builder, cell: ElementNode): void {
  if (cell.children.length === 0 || !isMute(builder, cell)) return;
  const found = readPictures(cell);
  if (found === undefined) return;
  addText(builder, found.said);
  const text = found.picture.tag === 'img' ? cell.children.pop() : undefined;
  if (text !== undefined) addChild(found.picture, text);
}

/** Gives stars without text the rating that their label says. */
export function endRating(builder: Builder, element: ElementNode): void {
  const { attributes, skipped, hidden } = element;
  if (attributes.length === 0 || skipped || hidden !== '') return;
  const label = readAttribute(attributes, 'aria-label')?.trim() ?? '';
  if (label.length > RATING_CHARS_MAX || !OUT_OF.test(label) || !RATED.test(label)) return;
  const shown = textOf(element);
  if (!/[\p{L}\p{N}]/u.test(shown)) addText(builder, shown === '' ? label : ` ${label}`);
}

const RATING_CHARS_MAX = 60;
const OUT_OF =
  /(?<!\d)\d{1,2}(?:[.,]\d{1,2})?\s*(?:stars?\s*)?(?:out of|of|\/|von|sur|de|di|su|van|av|из)\s*(?:5|10)(?!\d)/iu;
/** `3 of 5` is a rating only where it says so: pictures are counted in this way, too. `Rate 3 of 5` is a button. */
const RATED =
  /^(?!rate\b|give\b|bewerten?\b|vote).*(?:\d[.,]\d|star|rat(?:ed|ing)|stern|bewert|étoile|estrella|puntua|stell|звезд|звёзд|оценк)/iu;

const LEVELS_MAX = 3;

/** Whether a drawing below this element may be the only content of a table cell. */
export function drawsCell(builder: Builder, parent: ElementNode): boolean {
  let holder: ElementNode | undefined = parent;
  for (let level = 0; level < LEVELS_MAX && holder !== undefined; level++) {
    if (holder.tag === 'td' || holder.tag === 'th') return isMute(builder, holder);
    holder = holder.parent;
  }
  return false;
}

/** Stores the title of an SVG, the first if it has several. */
export function nameDrawing(drawing: ElementNode, title: string): void {
  const { attributes } = drawing;
  if (readAttribute(attributes, 'title') === undefined)
    drawing.attributes = [...attributes, 'title', decodeText(title)];
}

/** Whether a cell has no text yet, and one before it in its row does. */
const isMute = ({ block, blocks }: Builder, { first, parent, skipped }: ElementNode): boolean =>
  block === undefined && first === blocks.length && !skipped && parent?.tag === 'tr' && parent.first < first;

interface Pictured {
  said: string;
  picture: ElementNode;
}

const ELEMENTS_MAX = 6;
/** Images in these elements are buttons, or have a text already. */
const NOT_READ = new Set(['a', 'button', 'label', 'form', 'table', 'ul', 'ol', 'video', 'audio', 'math']);

/**
 * The meaning of the icon in a cell without text, such as the check mark in a feature table; undefined if it
 * has none or if two icons disagree.
 */
function readPictures(cell: ElementNode): Pictured | undefined {
  const found: Pictured[] = [];
  const waiting: ElementNode[] = [cell];
  for (const holder of waiting)
    for (const child of holder.children) {
      if (isText(child)) continue;
      if (waiting.length > ELEMENTS_MAX || NOT_READ.has(child.tag) || child.hidden !== cell.hidden)
        return undefined;
      waiting.push(child);
      const said = readPicture(child);
      if (said !== '') found.push({ said, picture: child });
    }
  return new Set(found.map(({ said }) => said)).size === 1 ? found.at(-1) : undefined;
}

const LABELS = ['alt', 'aria-label', 'title'];
const LABEL_CHARS_MAX = 24;
const SIDE_MAX = 100;

function readPicture({ attributes }: ElementNode): string {
  if (attributes.length === 0 || isLarge(attributes, 'width') || isLarge(attributes, 'height')) return '';
  for (const name of LABELS) {
    const label = readAttribute(attributes, name)?.trim() ?? '';
    if (label !== '' && label.length <= LABEL_CHARS_MAX && !NO_ANSWER.test(label))
      return label.replace(/\s+/g, ' ').replace(/ icon$/i, '');
  }
  const names = readAttribute(attributes, 'class') ?? '';
  if (names === '' || names.length > NAMES_CHARS_MAX) return '';
  const isYes = YES.test(names);
  if (isYes === NO.test(names)) return '';
  return isYes ? '✓' : '✗';
}

/** Photographs are wider than icons. */
const isLarge = (attributes: string[], side: 'width' | 'height'): boolean =>
  Number.parseInt(readAttribute(attributes, side) ?? '', 10) > SIDE_MAX;

/** File names, and words that describe the image instead of its meaning. */
const NO_ANSWER =
  /\.[a-z]{3,4}$|^icon$|\b(?:image|img|logo|photo|picture|cover|avatar|screenshot|thumbnail|banner|spacer|blank|pixel|arrow|bullet)\b/i;

const NAMES_CHARS_MAX = 200;
/** Icon classes of Font Awesome, Bootstrap, Dashicons and others. `form-check` is the wrapper of a checkbox. */
const YES =
  /(?:^|[\s_-])(?<!(?:form|not?|un)[_-])(?:check2?|checked|check-?mark|tick|(?:dashicons|icon)-yes|glyphicon-ok)(?:[\s_-]|$)/i;
const NO =
  /(?:^|[\s_-])(?:(?:fa|la|icon)-(?:times|close)|times-circle|x-?mark|cross(?:-?mark)?(?=\s|-circle|$)|(?:dashicons|icon)-no|(?:bi|icon)-x|ti-close|glyphicon-remove)(?:[\s_-]|$)/i;
