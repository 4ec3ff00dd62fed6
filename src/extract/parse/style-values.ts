import { type Colour, isNear, readColour } from './colour.ts';

/** Properties of one element that decide whether its text is seen; shorthands are expanded. */
export type Style = Map<string, string>;

export const BODY_CHARS_MAX = 4_000;
const PREFIX = /^-(?:webkit|moz|ms)-(?=(?:transform|clip-path|mask-image|filter|animation|background-clip)$)/;
const DISPLAYS = /^(?:none|block|inline|flex|grid|table|list|contents|flow|ruby|in|un|re|var|-)/;
const COMMENT = /\/\*.*?(?:\*\/|$)/gs;

/** The style that a style attribute or a rule alone gives. */
export function readStyle(body: string): Style {
  const style: Style = new Map();
  applyDeclarations(style, body, false);
  applyDeclarations(style, body, true);
  return style;
}

/** Adds declarations to a style: those that are important, or the others. */
export function applyDeclarations(style: Style, body: string, isImportant: boolean): void {
  const text = plainCss(body.slice(0, BODY_CHARS_MAX));
  for (let start = 0, depth = 0, at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (at === text.length || (sign === ';' && depth <= 0)) {
      const [, name = '', said = ''] = /^([-\w]+)\s*:(.*)$/s.exec(text.slice(start, at).trim()) ?? [];
      const value = (said.includes('!') ? said.replace(/!\s*important$/i, '') : said).trim();
      const isOwn = value !== '' && /!\s*important$/i.test(said) === isImportant;
      if (isOwn && name.startsWith('--')) style.set(name, value);
      else if (isOwn) expand(style, name.toLowerCase().replace(PREFIX, ''), value.toLowerCase());
      start = at + 1;
    }
  }
}

/** A style without comments, and with the letters that `\69` and its like stand for. */
export function plainCss(text: string): string {
  const plain = text.includes('/*') ? text.replace(COMMENT, '') : text;
  if (!plain.includes('\\')) return plain;
  return plain.replace(/\\(?:([\da-f]{1,5})\s?|(.))/gis, (_, hex?: string, sign = '') =>
    hex === undefined ? sign : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

function expand(style: Style, name: string, value: string): void {
  const parts: string[] = value.match(/(?:\([^()]*\)|[^\s(])+/g) ?? [];
  if (name === 'all') for (const key of style.keys()) if (!key.startsWith('--')) style.delete(key);
  const [first = '', second = first, third = first, fourth = second] = parts;
  const sides = { top: first, right: second, bottom: third, left: fourth };
  if (name === 'overflow') style.set('overflow-x', first).set('overflow-y', second);
  else if (name === 'inset' || name === 'margin' || name === 'padding') {
    for (const [side, length] of Object.entries(sides))
      style.set(name === 'inset' ? side : `${name}-${side}`, length);
  } else if (name === 'font') {
    const [, size = '', line = ''] = FONT.exec(value) ?? [];
    style.set('font-size', size).set('line-height', line);
  } else if (name === 'background') {
    style.set('background-image', /url\(|gradient\(|image\(|var\(/.test(value) ? 'some' : 'none');
    style.set('background-color', parts.find((part) => readColour(part)) ?? '');
    style.set('background-clip', parts.includes('text') ? 'text' : '');
  } else if (name !== 'display' || DISPLAYS.test(value)) style.set(plainName(name), value);
}

const FONT = /(?:^|\s)([\d.]+[a-z%]*|calc\([^)]*\))(?:\s*\/\s*([\d.]+[a-z%]*))?\s/;
const plainName = (name: string): string =>
  name
    .replace('block-size', 'height')
    .replace('inline-size', 'width')
    .replace('-name', '')
    .replace(/^mask$/, 'mask-image');

const UNIT_SIZES =
  'px 1 pt 1.33 rem 16 ch 8 ex 8 vw 12.8 vh 7.2 vmin 7.2 vmax 12.8 dvh 7.2 dvw 12.8 in 96 cm 38';
const UNITS = new Map(
  [...UNIT_SIZES.matchAll(/([a-z]+) ([\d.]+)/g)].map(([, unit, size]) => [unit, Number(size)]),
);

/** A length in pixels on a screen of 1280 × 720, or NaN. `whole` is what 100 % are, `em` the size of a letter. */
export function lengthOf(value = '', whole = Number.NaN, em = 16): number {
  const atom = (text: string): number => {
    const [, digits = 'none', unit = ''] = /^\s*([-+]?[\d.]+)([a-z%]*)\s*$/.exec(text) ?? [];
    const size =
      unit === '%' ? whole / 100 : unit === '' ? 1 : unit === 'em' ? em : (UNITS.get(unit) ?? Number.NaN);
    return Number(digits) === 0 ? 0 : Number(digits) * size;
  };
  const inside = /^calc\(([^()]{0,80})\)$/.exec(value)?.[1];
  if (inside === undefined) return atom(value);
  const product = (term: string): number => term.split('*').reduce((all, factor) => all * atom(factor), 1);
  const terms = inside.split(/\s([-+])\s/);
  return terms.reduce(
    (sum, term, at) => (at % 2 > 0 ? sum : sum + product(term) * (terms[at - 1] === '-' ? -1 : 1)),
    0,
  );
}

const [TINY, FAINT, FAR] = [2, 0.06, 900];

export const isFaint = (opacity: number): boolean => opacity < FAINT;
export const isTiny = (fontSize: number): boolean => fontSize <= TINY;

/** How opaque an element is, without what is around it. */
export function opacityOf(style: Style): number {
  const filter = /(?:^|\s)opacity\(([^)]*)\)/.exec(style.get('filter') ?? '')?.[1];
  const [own, filtered] = [lengthOf(style.get('opacity'), 1), lengthOf(filter, 1)];
  return (Number.isNaN(own) ? 1 : own) * (Number.isNaN(filtered) ? 1 : filtered);
}

/** Why nothing in the box of an element is seen, whatever the elements in it say; or an empty string. */
export function judgeBox(style: Style): string {
  if (style.get('display') === 'none' || style.get('content-visibility') === 'hidden') return 'display:none';
  if (isFolded(style)) return 'zero size';
  if (isAway(style)) return 'off-screen';
  return isClipped(style) ? 'clipped' : isFlat(style) ? 'transformed' : '';
}

const pixelsOf = (style: Style, name: string, whole?: number): number =>
  lengthOf(style.get(name), whole) || 0;

function isFolded(style: Style): boolean {
  const cut = `${style.get('overflow-x')} ${style.get('overflow-y')}`;
  if (!/hidden|clip|auto|scroll/.test(cut) || style.get('display') === 'inline') return false;
  if (lengthOf(style.get('line-height')) === 0 && !style.has('height')) return true;
  return ['height top bottom', 'width left right'].some((words) => {
    const [side = '', before = '', after = ''] = words.split(' ');
    const room = pixelsOf(style, `padding-${before}`) + pixelsOf(style, `padding-${after}`);
    const isFlat = [side, `max-${side}`].some((name) => lengthOf(style.get(name)) + room <= TINY);
    return isFlat && pixelsOf(style, `min-${side}`) <= TINY;
  });
}

function isAway(style: Style): boolean {
  const position = style.get('position') ?? '';
  const [left, top] = [pixelsOf(style, 'left', 1_280), pixelsOf(style, 'top', 720)];
  const far = ['margin-left', 'margin-top', 'text-indent'].map((name) => pixelsOf(style, name, 1_280));
  if (/^(?:absolute|fixed|relative|sticky)/.test(position)) {
    far.push(left, top, pixelsOf(style, 'right', 1_280), pixelsOf(style, 'bottom', 720));
    if (left >= 4 * FAR || (position === 'fixed' && (top >= 720 || left >= 1_280))) return true;
  }
  if (far.some((length) => length <= -FAR) || pixelsOf(style, 'letter-spacing') <= -14) return true;
  return pixelsOf(style, 'text-indent', 1_280) >= 1_280 && style.get('overflow-x') === 'hidden';
}

function isClipped(style: Style): boolean {
  const [, rect] = /^rect\(([^)]*)\)/.exec(style.get('clip') ?? '') ?? [];
  if (rect !== undefined && /^(?:absolute|fixed)/.test(style.get('position') ?? '')) {
    const [top = 0, right = 0, bottom = 0, left = 0] = rect.split(/[\s,]+/).map((side) => lengthOf(side));
    if (bottom - top <= TINY || right - left <= TINY) return true;
  }
  const mask = style.get('mask-image') ?? '';
  if (/gradient\((?:\s*(?:transparent|#0000|rgba\([^)]*,\s*0\))[^,()]*[,)])+$/.test(mask)) return true;
  const [, shape, inside = ''] =
    /^(inset|circle|ellipse|polygon)\((.*)\)/.exec(style.get('clip-path') ?? '') ?? [];
  const points = inside.split(/,|\s(?:at|round)\s/).map((point) => point.trim().split(/\s+/));
  const [first = []] = points.map((point) => point.map((length) => lengthOf(length, 100)));
  if (shape === 'polygon')
    return [0, 1].some((axis) => new Set(points.map((point) => point[axis])).size === 1);
  if (shape !== 'inset') return shape !== undefined && first.some((radius) => radius <= 1);
  const [top = 0, right = top, bottom = top, left = right] = first;
  return (inside.includes('%') && (top + bottom >= 99 || left + right >= 99)) || Math.max(...first) >= FAR;
}

function isFlat(style: Style): boolean {
  const [scale = '1', translate = '0'] = [style.get('scale'), style.get('translate')];
  const own = `scale(${scale}) translate(${translate})`.replace(/(?<=\S) +(?=[-\d])/g, ',');
  const all = `${own} ${style.get('transform') ?? ''}`.slice(0, 400);
  for (const [, name = '', inside = ''] of all.matchAll(/([a-z]+)(?:3d)?\(((?:[^()]|\([^()]*\))*)\)/g)) {
    const whole = name.startsWith('scale') ? 1 : 600;
    const numbers = inside.split(',').map((value) => lengthOf(value.trim(), whole));
    const [a = 0, b = whole, c = 0, d = 0, x = 0, y = 0] = numbers;
    if (whole === 1 && Math.min(Math.abs(a), Math.abs(b)) < FAINT) return true;
    if (name === 'matrix' && (Math.abs(a * d - b * c) < FAINT ** 2 || Math.min(x, y) <= -FAR)) return true;
    if (/^rotate[xy]$/.test(name) && /^-?(?:90|270)deg|^-?0?\.[27]5turn/.test(inside)) return true;
    if (name.startsWith('translate') && numbers.some((far) => far <= -FAR || far >= 4 * FAR)) return true;
  }
  return false;
}

/** The colour of the letters; undefined if it is not known, or if something else draws them. */
export function letterColour(style: Style): Colour | undefined {
  const isDrawn = (style.get('text-shadow') ?? 'none') !== 'none' || style.get('background-clip') === 'text';
  return isDrawn ? undefined : readColour(style.get('-webkit-text-fill-color') ?? style.get('color'));
}

/** Whether letters of a colour are not seen on a background; by default that of the same style. */
export function isLost(style: Style, background = readColour(style.get('background-color'))): boolean {
  const colour = letterColour(style);
  if (colour === undefined) return false;
  return isFaint(colour[3] as number) || (background !== undefined && isNear(colour, background));
}
