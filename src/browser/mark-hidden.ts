import type { Devtools } from './devtools.ts';

/**
 * Marks the text that a drawn page does not show, so that it can be told from the rest in the page's HTML:
 * what computed styles hide gets `display: none` of its own. It runs in an isolated world after the page's
 * scripts have been stopped, so no script can see, forge or undo it.
 */
export async function markHidden(devtools: Devtools, session: string, frameId: string): Promise<void> {
  const world = { frameId, worldName: 'headgate' };
  const { executionContextId: contextId } = await devtools.send('Page.createIsolatedWorld', world, session);
  const run = (expression: string): Promise<unknown> =>
    devtools.send('Runtime.evaluate', { expression, contextId, awaitPromise: true }, session);
  await run(SCROLL);
  await devtools.send('Emulation.setScriptExecutionDisabled', { value: true }, session);
  await run(MARK);
}

/** Many pages show their sections when a reader comes to them. */
const SCROLL = `(async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let step = 1; step <= 12 && step * innerHeight < document.documentElement.scrollHeight; step++) {
    scrollTo(0, step * innerHeight);
    await wait(30);
  }
  scrollTo(0, 0);
  await wait(200);
})()`;

/**
 * An element that hides everything in it is marked as a whole. Visibility, size and colour of letters can be
 * undone inside, so they are judged by text. What is folded away has no box; the parser decides about it.
 * Everything is looked at before the first mark, because each mark moves the rest.
 */
const MARK = String.raw`(() => {
  const [elementsMax, tiny, faint] = [30000, 2, 0.06];
  const ALPHA = /^rgba\(.*,\s*([\d.]+)\)$|\/\s*([\d.]+)\)$/;
  const alphaOf = (colour) => Number(ALPHA.exec(colour)?.slice(1).find(Boolean) ?? 1);
  const INSET = /^inset\(((50|100)%|0(px|%) 0(px|%) 100%)/;
  const EMPTY = /^((circle|ellipse)\(0(px|%)|polygon\(0px 0px(, 0px 0px)+\))/;
  const isBuried = (style, opacity, box) => {
    if (style.display === 'none' || opacity < faint || INSET.test(style.clipPath)) return true;
    if (EMPTY.test(style.clipPath)) return true;
    if (style.contentVisibility === 'hidden' || /opacity\(0(%|\))/.test(style.filter)) return true;
    const isOut = style.position === 'absolute' || style.position === 'fixed';
    if (isOut && /^rect\((\d)px,? \1px,? \1px,? \1px\)$/.test(style.clip)) return true;
    const isClip = style.overflowX !== 'visible' && style.overflowY !== 'visible';
    const isCut = isClip && style.display !== 'inline';
    return isCut && (box.width <= tiny || box.height <= tiny);
  };
  const isUnseen = (text, style) => {
    if (style.visibility !== 'visible' || parseFloat(style.fontSize) <= tiny) return true;
    const fill = style.getPropertyValue('-webkit-text-fill-color');
    const isDrawn = style.textShadow !== 'none' || style.backgroundClip === 'text';
    const isLost = alphaOf(fill) < faint || (fill === style.backgroundColor && alphaOf(fill) > 0.5);
    if (isLost && !isDrawn) return true;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.getClientRects().length === 0) return false;
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return true;
    if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0 || box.left > innerWidth + 4000) return true;
    return style.position === 'fixed' && (box.top >= innerHeight || box.left >= innerWidth);
  };
  // Formulas and prices are often written twice: for the ear, and drawn in parts for the eye.
  const plain = (element) => element.textContent.replace(/\s+/g, '');
  const isSpoken = (element) => {
    const drawn = element.nextElementSibling;
    if (drawn === null || drawn.getAttribute('aria-hidden') !== 'true') return false;
    const [said, shown] = [plain(element), plain(drawn)];
    return said === shown || (element.querySelector('math') !== null && said.length <= 8 * shown.length);
  };
  const [buried, unseen] = [[], []];
  const waiting = document.body === null ? [] : [[document.body, 1]];
  for (let count = 0; count < elementsMax && waiting.length > 0; count++) {
    const [element, around] = waiting.pop();
    const style = getComputedStyle(element);
    const opacity = around * Number(style.opacity);
    if (/^(script|style|template|link|meta)$/i.test(element.tagName) || isSpoken(element)) continue;
    if (isBuried(style, opacity, element.getBoundingClientRect())) {
      buried.push(element);
      continue;
    }
    for (const holder of [element, element.shadowRoot])
      for (const child of holder?.childNodes ?? [])
        if (child instanceof Element) waiting.push([child, opacity]);
        else if (!(child instanceof Text) || child.data.trim() === '') continue;
        else if (isUnseen(child, style)) unseen.push(child);
  }
  for (const { style } of buried) style?.setProperty('display', 'none', 'important');
  for (const text of unseen) {
    const span = document.createElement('span');
    span.style.setProperty('display', 'none', 'important');
    text.replaceWith(span);
    span.append(text);
  }
})()`;
