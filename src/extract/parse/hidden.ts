import { readAttribute } from './attributes.ts';
import { isLost, judgeBox, readStyle } from './style-values.ts';

const STYLE_CHARS_MAX = 2_000;

const HIDING_STYLES: [RegExp, string][] = [
  [/display\s*:\s*none/i, 'display:none'],
  [/visibility\s*:\s*(hidden|collapse)/i, 'visibility:hidden'],
  [/(^|;)\s*(max-)?(width|height)\s*:\s*[01]px[^;]*(;|$)(?=.*overflow\s*:\s*hidden)/i, 'zero size'],
  [/overflow\s*:\s*hidden.*(^|;)\s*(max-)?(width|height)\s*:\s*[01]px/i, 'zero size'],
  [/text-indent\s*:\s*-\d{3,}/i, 'off-screen'],
  [/(^|;)\s*(left|top|right|margin-left)\s*:\s*-\d{3,}(px|em|vw|%)/i, 'off-screen'],
  [/clip\s*:\s*rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?/i, 'off-screen'],
];

/**
 * Tells why a reader cannot see the text of an element, or an empty string. Only what the element itself says is judged. One for the
 * elements of a page in their order: it remembers styles, which pages repeat, and what buttons open.
 */
export function createHiddenReader(): (attributes: string[]) => string {
  const known = new Map<string, string>();
  const opened = new Set<string>();
  const judge = (style: string): string => {
    let reason = known.get(style);
    if (reason === undefined) {
      reason = hiddenByStyle(style);
      known.set(style, reason);
    }
    return reason;
  };
  return (attributes) => {
    const controlled = readAttribute(attributes, 'aria-controls');
    if (controlled !== undefined) opened.add(controlled);
    const reason = readReason(attributes, judge);
    if (!OPENABLE.has(reason)) return reason;
    if (isStreamed(attributes)) return '';
    return isFold(attributes, opened) ? FOLDED : reason;
  };
}

/** The reason that is none: a reader sees the text after a click. */
export const FOLDED = 'folded';

function readReason(attributes: string[], judge: (style: string) => string): string {
  if (readAttribute(attributes, 'hidden') !== undefined) return 'hidden attribute';
  const style = readAttribute(attributes, 'style');
  return style === undefined || style === '' ? '' : judge(style);
}

const OPENABLE = new Set(['hidden attribute', 'display:none', 'visibility:hidden', 'zero size']);
const FOLDS =
  /tab[-_]*(panel|pane|content)|accordion|collaps|panel|faq|answer|callout|toggle|read-?more|show-?more|expand/i;

/** What a button said that it opens, what is a region of its own, or what is named for it. */
function isFold(attributes: string[], opened: Set<string>): boolean {
  const role = readAttribute(attributes, 'role') ?? '';
  const id = readAttribute(attributes, 'id') ?? '';
  if (FOLDS.test(`${readAttribute(attributes, 'class') ?? ''} ${id} ${role}`.slice(0, 400))) return true;
  return role === 'region' || (opened.has(id) && !/dialog|menu/.test(role));
}

/** React and Marko send parts of a page in hidden elements with such ids and move them into place. */
function isStreamed(attributes: string[]): boolean {
  const id = readAttribute(attributes, 'id') ?? '';
  if (/^[SB]:[0-9a-f]+$/i.test(id)) return true;
  return /^af[a-z]\w*\d$/i.test(id) && readAttribute(attributes, 'class') === undefined;
}

function hiddenByStyle(style: string): string {
  const text = style.slice(0, STYLE_CHARS_MAX);
  const [, reason = 'same colour'] = HIDING_STYLES.find(([pattern]) => pattern.test(text)) ?? [];
  if (reason === 'same colour' && !/background/i.test(text)) return '';
  const own = readStyle(text);
  if (reason === 'same colour') return isLost(own) ? reason : '';
  // A later declaration may take it back, and only what is positioned moves.
  const isHidden = judgeBox(own) !== '' || /^(?:hidden|collapse)/.test(own.get('visibility') ?? '');
  const isMoved = reason === 'off-screen' && (own.get('position') ?? 'static') !== 'static';
  return isHidden || isMoved ? reason : '';
}
