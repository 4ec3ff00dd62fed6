import { type ElementNode } from './nodes.ts';
import { readAttribute } from './attributes.ts';
import { isNear, readColour, WHITE } from './colour.ts';
import { compileSelector, matches, type Selector, splitSelectors, type Steps } from './selector.ts';
import type { StyleRule } from './style-sheet.ts';
import {
  applyDeclarations,
  BODY_CHARS_MAX,
  isLost,
  plainCss,
  readStyle,
  type Style,
} from './style-values.ts';

/** One selector of a rule; it is compiled when an element might match it. */
type Entry = { rule: StyleRule; text: string; selector?: Selector | undefined };

/** Entries by what an element must have (`#id`, `.class`, a tag, or `*`), and by whole class attributes, which repeat. */
type Index = Record<'byKey' | 'byClass', Map<string, Entry[]>>;

const ZERO = String.raw`(?:0*\.?0+(?!\.?\d)|0*\.0\d*|[012]?(?:\.\d+)?px|var|calc\([^;]{0,40}(?<![\d.])0(?![\d.]))`;
/** Values that can hide text. What they do is judged later, and only for elements that have them. */
const SUSPECT = new RegExp(
  [
    String.raw`display\s*:\s*(?:none|var)|visibility\s*:\s*(?:hid|col|var)|opacity\s*[:(]\s*(?:${ZERO}|0*\.[0-2]|[0-5]%)`,
    String.raw`(?:^|[;\s]|max-|line-)(?:height|width|(?:font|block|inline)-size)\s*:\s*${ZERO}|font\s*:\s*[^;]{0,30}(?<![\d.])${ZERO}`,
    String.raw`-\s*\d{3}|-\d{2,}(?:r?em|v[wh])|(?:top|left|translate\w*)\s*[:(]\s*(?:[12]\d\d[vl%]|\d{4})|indent\s*:\s*[1-9]\d\d|letter-spacing\s*:\s*-\d`,
    String.raw`scale\w*\s*[:(][^;)]{0,40}(?<![\d.])0(?!\.?0*[1-9][1-9])|scale\w*\s*[:(]\s*\.0|rotate[xy]|matrix|(?:transform|translate|scale)\s*:\s*var|clip\s*:\s*rect|clip-path\s*:\s*[icepv]|mask-image|mask\s*:`,
    String.raw`(?:^|[;\s]|fill-)color\s*:\s*(?:transparent|var|#[\da-f]{3}0\s*(?:[;!]|$)|#[\da-f]{6}0|[a-z]{2,7}\([^;]{0,40}[,/]\s*0?\.?0)`,
  ].join('|'),
  'i',
);
const PALE = /(?:^|[;\s])color\s*:\s*(?:w|s|i|gh|f|m|az|#f|[a-z]{2,7}\([^;]{0,40}(?:25\d|9\d%|100%))/i;
const COLOURED = /(?:^|[;\s])color\s*:/i;
const ROOTS = /(?:^|,)\s*(?::root|html|body|\*)\s*(?:,|$)/i;
const ROOT_CHARS_MAX = 60;
const ENTRIES_MAX = 30_000;
const STEPS_MAX = 200_000;

/**
 * Creates the cascade of a page: specificity, order, layers, `!important` and style attributes. `isWhole` tells that there
 * are no other sheets, which could lay a background behind pale letters.
 */
export function createCascade(rules: StyleRule[], isWhole: boolean) {
  const steps: Steps = { left: STEPS_MAX, floor: 0 };
  const root: Style = new Map();
  for (const { selector, body } of rules)
    if (selector.length <= ROOT_CHARS_MAX && ROOTS.test(selector)) applyDeclarations(root, body, false);
  const page = readColour(root.get('background-color'));
  const faded = page === undefined || isNear(WHITE, page) ? PALE : COLOURED;
  const isHiding = (body: string): boolean => {
    const plain = plainCss(body.slice(0, BODY_CHARS_MAX));
    if (SUSPECT.test(plain) || (isWhole && faded.test(plain))) return true;
    return plain.includes('background') && plain.includes('color:') && isLost(readStyle(plain));
  };
  const suspects = createIndex(rules.filter(({ body }) => isHiding(body)));
  let all: Index | undefined;
  const attributes = new Map([['', false]]);
  const isHidingAttribute = (attribute: string): boolean => {
    if (!attributes.has(attribute)) attributes.set(attribute, isHiding(attribute));
    return attributes.get(attribute) === true;
  };
  const finish = (element: ElementNode, found: StyleRule[]): Style => {
    const [own, style] = [ownStyle(element), userStyle(element)];
    for (const isImportant of [false, true]) {
      for (const { body } of found)
        if (!isImportant || body.includes('!')) applyDeclarations(style, body, isImportant);
      if (own !== '') applyDeclarations(style, own, isImportant);
    }
    for (const [name, value] of style)
      if (value.includes('var(')) style.set(name, resolve(value, style, root));
    return style;
  };
  return {
    /** The rules that can hide text and apply to an element; undefined if there are none and its own style cannot. */
    hidersOf: (element: ElementNode): StyleRule[] | undefined => {
      const found = suspects.byKey.size === 0 ? NONE : find(suspects, element, steps);
      return found.length > 0 || isHidingAttribute(ownStyle(element)) ? found : undefined;
    },
    /** What these rules alone declare; `styleOf` looks at all rules. */
    worstOf: finish,
    styleOf: (element: ElementNode): Style =>
      finish(element, find((all ??= createIndex(rules)), element, steps)),
  };
}

const NONE: StyleRule[] = [];
const ownStyle = ({ attributes }: ElementNode): string => readAttribute(attributes, 'style') ?? '';

/** What browsers say about an element before the page does. */
function userStyle({ tag, attributes }: ElementNode): Style {
  const style: Style = new Map();
  for (let index = 0; index < attributes.length; index += 2) {
    const [name, value = ''] = [attributes[index], attributes[index + 1]?.toLowerCase()];
    if (name === 'hidden' || name === 'popover') style.set('display', 'none');
    else if (name === 'bgcolor') style.set('background-color', value);
    else if (name === 'color' && tag === 'font') style.set('color', value);
  }
  if (tag === 'dialog' && readAttribute(attributes, 'open') === undefined) style.set('display', 'none');
  return style;
}

const VARIABLE = /var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)/g;

function resolve(value: string, own: Style, shared: Style): string {
  const replace = (_: string, name: string, other = ''): string => own.get(name) ?? shared.get(name) ?? other;
  let text = value;
  for (let round = 0; round < 4 && text.length < 400; round++) text = text.replace(VARIABLE, replace);
  return text.trim().toLowerCase();
}

function createIndex(rules: StyleRule[]): Index {
  const byKey = new Map<string, Entry[]>();
  let left = ENTRIES_MAX;
  for (const rule of rules)
    for (const text of splitSelectors(rule.selector).slice(0, left)) {
      left -= 1;
      const key = keyOf(text);
      const list = byKey.get(key);
      if (list === undefined) byKey.set(key, [{ rule, text }]);
      else list.push({ rule, text });
    }
  return { byKey, byClass: new Map() };
}

const KEY = /^([^.#:[*]*)[^.#]*(?:(#[^.#:[]+)|(\.[^.#:[]+))?/;

/** What an element must have to match: the most telling part of the last compound. */
function keyOf(selector: string): string {
  let plain = selector;
  if (/[[(\\]/.test(plain)) {
    plain = plain.replace(/\[[^\][]*\]/g, '[');
    for (let depth = 0; depth < 3; depth++) plain = plain.replace(/\([^()]*\)/g, '');
    if (/[(\\]/.test(plain)) return '*';
  }
  let start = plain.length;
  while (start > 0 && !' >+~\n\t\r\f'.includes(plain[start - 1] as string)) start -= 1;
  const [, tag, id, name] = KEY.exec(plain.slice(start)) ?? [];
  return id ?? name ?? (tag?.toLowerCase() || (plain === ':root' ? 'html' : '*'));
}

/** The rules that apply to an element, those that win last. When the steps are used up, no more are found. */
function find({ byKey, byClass }: Index, element: ElementNode, steps: Steps): StyleRule[] {
  const { tag, attributes } = element;
  const lists = [byKey.get('*'), byKey.get(tag)];
  const [id, names] = [readAttribute(attributes, 'id'), readAttribute(attributes, 'class')];
  if (id !== undefined) lists.push(byKey.get(`#${id}`));
  if (names !== undefined) {
    let named = byClass.get(names);
    if (named === undefined) {
      named = [...new Set(names.split(/\s+/))].flatMap((name) => byKey.get(`.${name}`) ?? []);
      byClass.set(names, named);
    }
    lists.push(named);
  }
  const found: Entry[] = [];
  for (const list of lists)
    for (const entry of list ?? []) {
      if (steps.left <= 0) break;
      if (!isMatch(entry, element, steps)) continue;
      // Its declarations are read for each element.
      steps.left -= Math.min(entry.rule.body.length, BODY_CHARS_MAX) >> 4;
      found.push(entry);
    }
  if (found.length > 1) found.sort((a, b) => rank(a) - rank(b) || a.rule.order - b.rule.order);
  return found.length === 0 ? NONE : found.map(({ rule }) => rule);
}

const rank = ({ rule, selector }: Entry): number => (selector?.specificity ?? 0) + (rule.isLayered ? 0 : 1e9);

function isMatch(entry: Entry, element: ElementNode, steps: Steps): boolean {
  steps.left -= 1;
  if (entry.text !== '') {
    steps.left -= entry.text.length >> 2;
    entry.selector = compileSelector(entry.text);
    entry.text = '';
  }
  return entry.selector !== undefined && matches(entry.selector, element, steps);
}
