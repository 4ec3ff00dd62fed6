import { readAttribute } from './attributes.ts';
import { addChild } from './elements.ts';
import { decodeText } from './entities.ts';
import { addText, type Builder } from './gather-text.ts';
import { type ElementNode, isText } from './nodes.ts';

/**
 * Tables of features say yes and no by pictures: a cell that ends without text, in a row with text before it, says what its picture says. The text of an image
 * is below the image, so that whoever shows the image does not say it twice.
 */
export function endCell(builder: Builder, cell: ElementNode): void {
  if (cell.children.length === 0 || !isMute(builder, cell)) return;
  const found = readPictures(cell);
  if (found === undefined) return;
  addText(builder, found.said);
  const text = found.picture.tag === 'img' ? cell.children.pop() : undefined;
  if (text !== undefined) addChild(found.picture, text);
}

const LEVELS_MAX = 3;

/** Whether something drawn below this element may be all that a cell says. */
export function drawsCell(builder: Builder, parent: ElementNode): boolean {
  let holder: ElementNode | undefined = parent;
  for (let level = 0; level < LEVELS_MAX && holder !== undefined; level++) {
    if (holder.tag === 'td' || holder.tag === 'th') return isMute(builder, holder);
    holder = holder.parent;
  }
  return false;
}

/** Notes the title of a drawing, the first if it has many. */
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
/** A picture in these is something to press, or has its say already. */
const NOT_READ = new Set(['a', 'button', 'label', 'form', 'table', 'ul', 'ol', 'video', 'audio', 'math']);

/** What the only picture says in a cell without text, such as the hook of a feature that a plan has; undefined where it says nothing, or two say different things. */
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

/** Names of files, and words for what is to be seen rather than for what it means. */
const NO_ANSWER =
  /\.[a-z]{3,4}$|^icon$|\b(?:image|img|logo|photo|picture|cover|avatar|screenshot|thumbnail|banner|spacer|blank|pixel|arrow|bullet)\b/i;

const NAMES_CHARS_MAX = 200;
/** Font Awesome, Bootstrap, Dashicons and their like; `form-check` is the frame of a box to tick. */
const YES =
  /(?:^|[\s_-])(?<!(?:form|not?|un)[_-])(?:check2?|checked|check-?mark|tick|(?:dashicons|icon)-yes|glyphicon-ok)(?:[\s_-]|$)/i;
const NO =
  /(?:^|[\s_-])(?:(?:fa|la|icon)-(?:times|close)|times-circle|x-?mark|cross(?:-?mark)?(?=\s|-circle|$)|(?:dashicons|icon)-no|(?:bi|icon)-x|ti-close|glyphicon-remove)(?:[\s_-]|$)/i;
