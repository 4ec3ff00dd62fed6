/** The text of a `<style>` element, and its `media` attribute. */
export type StyleText = Record<'media' | 'text', string>;

export interface StyleRule {
  /** Its selectors, with those of the rules around it. */
  selector: string;
  body: string;
  order: number;
  /** Whether it is in a cascade layer: rules outside of layers win. */
  isLayered: boolean;
}

const RULES_MAX = 20_000;
const DEPTH_MAX = 8;
const SELECTOR_CHARS_MAX = 20_000;
const NESTED_CHARS_MAX = 1_000;

interface Frame {
  kind: 'rules' | 'style' | 'skip';
  selector: string;
  isLayered: boolean;
  /** Where its declarations go on, and those before the last nested rule. */
  start: number;
  before: string;
}

/**
 * Splits style sheets into their rules, for a wide screen: rules for print and for narrow screens are left out.
 * One pass that never goes back, so it is linear on any input.
 */
export function readStyleRules(sheets: StyleText[]): StyleRule[] {
  const rules: StyleRule[] = [];
  for (const { media, text } of sheets) if (matchesMedia(media)) scanSheet(text, rules);
  return rules;
}

const SKIP: Frame = { kind: 'skip', selector: '', isLayered: false, start: 0, before: '' };

function scanSheet(text: string, rules: StyleRule[]): void {
  const stack: Frame[] = [{ ...SKIP, kind: 'rules' }];
  /** Open braces that are deeper than the stack, and the place behind the last brace. */
  let [overflow, mark] = [0, 0];
  const next = createFinder(text);
  for (let at = next(0); at < text.length && rules.length < RULES_MAX; at = next(at + 1)) {
    const sign = text[at] as string;
    if (sign === '/') at = endOf(text, '*/', at + 2) + 1;
    else if (sign === '\\') at += 1;
    else if (sign === '"' || sign === "'") at = stringEnd(text, at, sign);
    else {
      if (sign === '{' && (overflow > 0 || stack.length >= DEPTH_MAX)) overflow += 1;
      else if (sign === '{') stack.push(open(stack.at(-1) as Frame, text, mark, at));
      else if (overflow > 0) overflow -= 1;
      else close(stack, text, at, rules);
      mark = at + 1;
    }
  }
  // A browser closes what is left open at the end.
  while (stack.length > 1) close(stack, text, text.length, rules);
}

/** A string ends with its line at the latest. */
function stringEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at;
}

const SIGNS = ['{', '}', '/*', '"', "'", '\\'];

/** Finds the next sign that matters. Each is searched for once over the whole text. */
function createFinder(text: string): (from: number) => number {
  const places = SIGNS.map((sign) => endOf(text, sign, 0));
  return (from) => {
    let nearest = text.length;
    for (let index = 0; index < SIGNS.length; index++) {
      if ((places[index] as number) < from) places[index] = endOf(text, SIGNS[index] as string, from);
      nearest = Math.min(nearest, places[index] as number);
    }
    return nearest;
  };
}

function endOf(text: string, sign: string, from: number): number {
  const end = text.indexOf(sign, from);
  return end < 0 ? text.length : end;
}

function open(around: Frame, text: string, brace: number, at: number): Frame {
  if (around.kind === 'skip') return SKIP;
  const from = Math.max(brace, at - SELECTOR_CHARS_MAX);
  const mark = from + text.slice(from, at).lastIndexOf(';') + 1;
  if (around.kind === 'style') around.before += text.slice(around.start, mark);
  const said = text.slice(mark, at);
  const prelude = (said.includes('/*') ? said.replace(/\/\*.*?(?:\*\/|$)/gs, '') : said).trim();
  const { kind, isLayered } = around;
  if (!prelude.startsWith('@')) {
    const selector = kind === 'style' ? nest(around.selector, prelude) : prelude;
    if (selector === '') return SKIP;
    return { kind: 'style', selector, isLayered, start: at + 1, before: '' };
  }
  const frame: Frame = { ...around, start: at + 1, before: '' };
  const [, rule = '', rest = ''] =
    /^@(?:-webkit-)?([\w-]+)\s*(.*)$/s.exec(prelude.slice(0, NESTED_CHARS_MAX)) ?? [];
  if (/^layer$/i.test(rule)) return { ...frame, isLayered: true };
  const isOpen = /^media$/i.test(rule)
    ? matchesMedia(rest)
    : /^supports$/i.test(rule) && !/^not\b/i.test(rest);
  return isOpen ? frame : SKIP;
}

function nest(parent: string, child: string): string {
  const own = child.includes('&') ? child.replaceAll('&', `:is(${parent})`) : `:is(${parent}) ${child}`;
  return own.length > NESTED_CHARS_MAX ? '' : own;
}

function close(stack: Frame[], text: string, at: number, rules: StyleRule[]): void {
  if (stack.length === 1) return;
  const { kind, selector, isLayered, start, before } = stack.pop() as Frame;
  const around = stack.at(-1) as Frame;
  if (around.kind === 'style') around.start = at + 1;
  if (kind === 'style')
    rules.push({ selector, body: before + text.slice(start, at), order: rules.length, isLayered });
}

/** Whether a media query holds for a wide screen. What is not known does not hold. */
function matchesMedia(query: string): boolean {
  if (query === '') return true;
  const queries = query.toLowerCase().slice(0, NESTED_CHARS_MAX).split(',');
  return queries.some((one) => {
    const [, not, text = ''] = /^(?:only\s+)?(not\b)?\s*(.*)$/s.exec(one.trim()) ?? [];
    return text.split(/\s+and\s+/).every(matchesFeature) === (not === undefined);
  });
}

const HELD =
  /^(?:screen|all|\((?:(?:any-)?hover(?::\s*hover)?|(?:any-)?pointer(?::\s*fine)?|color|prefers-reduced-motion:\s*no-preference|prefers-color-scheme:\s*light|orientation:\s*landscape|scripting:\s*enabled)\))$/;
const LENGTH = /^\(\s*(?:(min|max)-(?:device-)?)?(width|height)\s*(?::|([<>])=?)\s*([\d.]+)(px|r?em)?\s*\)$/;

function matchesFeature(feature: string): boolean {
  const [, edge, axis, sign, digits, unit = 'px'] = LENGTH.exec(feature) ?? [];
  if (axis === undefined) return HELD.test(feature);
  const [have, limit] = [axis === 'width' ? 1_280 : 720, Number(digits) * (unit === 'px' ? 1 : 16)];
  return edge === 'min' || sign === '>' ? have >= limit : have <= limit;
}
