import { type ElementNode, type TreeNode } from './nodes.ts';
import { readAttribute } from './attributes.ts';
import { plainCss } from './style-values.ts';

/** Tests that are left for a page, and where the match at hand gives up. */
export type Steps = { left: number; floor: number };
type Test = (element: ElementNode, steps: Steps) => boolean;

/** Its combinator relates it to the compound before it: ' ', '>', '+' or '~'. */
type Compound = { tests: Test[]; combinator: string };

/** Its compounds stand from the last to the first. */
export type Selector = { compounds: Compound[]; specificity: number };

const IDENT = String.raw`(?:[\w-]|[^\x00-\x7f]|\\(?:[\da-f]{1,5}\s?|.))+`;
const VALUE = String.raw`"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\]\s]*)`;
const TOKEN = new RegExp(
  [
    String.raw`(?<combinator>\s*[>+~]\s*|\s+)|(?<any>\*)|#(?<id>${IDENT})|\.(?<name>${IDENT})|(?<tag>${IDENT})`,
    String.raw`\[\s*(?<attribute>[\w-]+)\s*(?:(?<operator>[~|^$*]?=)\s*(?:${VALUE})\s*[is]?\s*)?\]|:(?<pseudo>[\w-]+)(?<open>\()?`,
  ].join('|'),
  'iy',
);
type Token = Record<string, string | undefined>;
const CHARS_MAX = 1_000;
const DEPTH_MAX = 3;
const STEPS_PER_MATCH = 300;

const PARTS = /(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[[^\][]*\]|[^,([])+/g;

/** Splits a list at the commas that are not in parentheses or brackets. */
export const splitSelectors = (list: string): string[] =>
  list.includes(',') ? (list.match(PARTS) ?? []).map((part) => part.trim()) : [list];

/** Reads one selector; undefined if it is not known, or matches no element. */
export function compileSelector(text: string, depth = 0): Selector | undefined {
  if (text.length > CHARS_MAX || depth > DEPTH_MAX || text.includes('::')) return undefined;
  const compounds: Compound[] = [{ tests: [], combinator: '' }];
  let specificity = 0;
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.groups as Token | undefined;
    if (token === undefined) return undefined;
    at = TOKEN.lastIndex;
    const { combinator, pseudo, open } = token;
    if (combinator !== undefined) {
      compounds.unshift({ tests: [], combinator: combinator.trim() || ' ' });
      continue;
    }
    const start = at;
    for (let level = open === undefined ? 0 : 1; level > 0 && at < text.length; at++)
      level += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    const read =
      pseudo === undefined
        ? simpleTest(token)
        : pseudoTest(pseudo.toLowerCase(), text.slice(start, at - 1), depth);
    if (read === undefined) return undefined;
    compounds[0]?.tests.push(read.test);
    specificity += read.specificity;
  }
  return { compounds, specificity };
}

type Read = { test: Test; specificity: number };

function simpleTest({ any, id, name, tag = '', attribute, operator, double, single, bare }: Token): Read {
  const wanted = plainCss(id ?? name ?? double ?? single ?? bare ?? '');
  if (any !== undefined) return { test: () => true, specificity: 0 };
  if (id !== undefined)
    return { test: ({ attributes }) => readAttribute(attributes, 'id') === wanted, specificity: 10_000 };
  if (name === undefined && attribute === undefined) {
    const lower = plainCss(tag).toLowerCase();
    return { test: (element) => element.tag === lower, specificity: 1 };
  }
  const key = attribute?.toLowerCase() ?? 'class';
  const how = name === undefined ? operator : '~=';
  const fits = (value: string): boolean => {
    if (how === undefined || how === '=') return how === undefined || value === wanted;
    if (wanted === '' || !value.includes(wanted)) return false;
    if (how === '~=') return value.split(/\s+/).includes(wanted);
    if (how === '|=') return `${value}-`.startsWith(`${wanted}-`);
    return how === '^=' ? value.startsWith(wanted) : how === '*=' || value.endsWith(wanted);
  };
  const test: Test = ({ attributes }) => {
    const value = readAttribute(attributes, key);
    return value !== undefined && fits(value);
  };
  return { test, specificity: 100 };
}

const isElement = (node: TreeNode): node is ElementNode => !node.tag.startsWith('#');

/** States that a reader brings about, such as `:hover`, match nothing. */
function pseudoTest(name: string, inside: string, depth: number): Read | undefined {
  if (/^(?:not|is|where|matches)$/.test(name)) {
    const inner = splitSelectors(inside).map((one) => compileSelector(one, depth + 1));
    const known = inner.filter((one) => one !== undefined);
    if (name === 'not' && known.length < inner.length) return undefined;
    const specificity = name === 'where' ? 0 : Math.max(0, ...known.map((one) => one.specificity));
    const test: Test = (element, steps) =>
      known.some(({ compounds }) => matchFrom(compounds, 0, element, steps)) === (name !== 'not');
    return { test, specificity };
  }
  if (name === 'root') return { test: ({ tag }) => tag === 'html', specificity: 100 };
  return STATES.test(name) ? { test: () => false, specificity: 100 } : undefined;
}

const STATES = /^(?:hover|focus|focus-within|focus-visible|active|checked|target|open|popover-open|visited)$/;

/** Whether an element matches. Bounded: a selector that takes too many steps matches nothing. */
export function matches({ compounds }: Selector, element: ElementNode, steps: Steps): boolean {
  steps.floor = Math.max(0, steps.left - STEPS_PER_MATCH);
  return matchFrom(compounds, 0, element, steps);
}

function matchFrom(compounds: Compound[], index: number, element: ElementNode, steps: Steps): boolean {
  steps.left -= 1;
  const { tests, combinator } = compounds[index] as Compound;
  if (steps.left <= steps.floor || element.tag === '#root') return false;
  for (const test of tests) if (!test(element, steps)) return false;
  if (index + 1 === compounds.length) return true;
  const isInside = combinator === '>' || combinator === ' ';
  const siblings = isInside ? [] : (element.parent?.children.filter(isElement) ?? []);
  steps.left -= siblings.length >> 3;
  let at = siblings.indexOf(element);
  let other = isInside ? element.parent : siblings[--at];
  for (; other !== undefined && steps.left > steps.floor; other = isInside ? other.parent : siblings[--at]) {
    if (matchFrom(compounds, index + 1, other, steps)) return true;
    if (combinator === '>' || combinator === '+') return false;
  }
  return false;
}
