// Markdown of web pages, as elements that we make ourselves: whatever a page wrote stays text. Links lead out only by http(s).
import { html } from './dom.js';

const LINES_MAX = 4_000;

/** Headings, paragraphs, lists, quotes, code and tables as far as they are worth it; everything else as text. */
export function Markdown({ text }) {
  return html`<div class="markdown">${blocksOf(text.split('\n').slice(0, LINES_MAX))}</div>`;
}

function blocksOf(lines) {
  const blocks = [];
  let at = 0;
  const take = (isOne) => {
    const from = at;
    while (at < lines.length && isOne(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === '') at += 1;
    else if (/^(```|~~~)/.test(line)) {
      at += 1;
      const inside = take((one) => !/^(```|~~~)/.test(one));
      at += 1;
      blocks.push(html`<pre>${inside.join('\n')}</pre>`);
    } else if (/^#{1,6} /.test(line)) {
      at += 1;
      const Level = line.indexOf(' ') <= 2 ? 'h3' : 'h4';
      blocks.push(html`<${Level}>${inlineOf(line.replace(/^#+ /, ''))}<//>`);
    } else if (isItem(line)) {
      const items = take((one) => isItem(one) || /^\s{2,}\S/.test(one)).filter(isItem);
      const List = /^\s*\d/.test(line) ? 'ol' : 'ul';
      blocks.push(
        html`<${List}
          >${items.map((item) => html`<li>${inlineOf(item.replace(/^\s*([-*+]|\d+[.)])\s+/, ''))}</li>`)}<//
        >`,
      );
    } else if (line.startsWith('>')) {
      blocks.push(
        html`<blockquote>
          ${inlineOf(
            take((one) => one.startsWith('>'))
              .map((one) => one.slice(1))
              .join(' '),
          )}
        </blockquote>`,
      );
    } else if (line.startsWith('|'))
      blocks.push(html`<pre>${take((one) => one.startsWith('|')).join('\n')}</pre>`);
    else
      blocks.push(
        html`<p>
          ${inlineOf(take((one) => one.trim() !== '' && !/^(#|>|\||```|~~~)/.test(one) && !isItem(one)).join(' '))}
        </p>`,
      );
    // A line that no rule takes would stop us here for ever.
    if (blocks.at(-1) !== undefined && lines[at] === line && at < lines.length) at += 1;
  }
  return blocks;
}

const isItem = (line) => /^\s*([-*+]|\d+[.)])\s+\S/.test(line);

const INLINE =
  /(`[^`]+`)|!?\[([^\]]*)\]\(([^)\s]+)(?:\s+"[^"]*")?\)|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*/g;

function inlineOf(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [whole, code, name, address, strong, emphasis] = match;
    if (code !== undefined) parts.push(html`<code>${code.slice(1, -1)}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`);
    else if (emphasis !== undefined) parts.push(html`<em>${emphasis}</em>`);
    else if (whole.startsWith('!')) parts.push(html`<span class="soft">[${name}]</span>`);
    else parts.push(html`<${Out} url=${address}>${name}<//>`);
  }
  return [...parts, text.slice(from)];
}

/** A link to the web. What is not http(s) is only text. */
export const Out = ({ url, children }) =>
  /^https?:\/\//i.test(url)
    ? html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow">${children}</a>`
    : html`<span>${children}</span>`;
