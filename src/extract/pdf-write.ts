import { pageMark } from '../rank/frame.ts';
import type { PdfBlock } from './pdf-blocks.ts';
import { NOTE_END, NOTE_START } from './pdf-lines.ts';
import { escapeText } from './write/inline.ts';
import { escapeLineStarts } from './write/markdown.ts';

const REFERENCE = new RegExp(`${NOTE_START}([^${NOTE_END}]*)${NOTE_END}`, 'g');

/** A line of plain text that could be taken for a page mark of ours. */
const LIKE_PAGE_MARK = /^\[(p\. \d+)\](?=\s*$)/gm;

/**
 * Writes the blocks of a PDF as Markdown or plain text. If it has several pages, a line such as `[p. 12]`
 * stands before the first block of each, so that passages can say where they are.
 */
export function writePdf(blocks: PdfBlock[], format: 'markdown' | 'text', hasPages: boolean): string {
  const labels = new Map<string, string>();
  const used = new Set<string>();
  for (const { kind, page, mark } of blocks) {
    if (kind !== 'note') continue;
    // Some documents count from one on every page.
    const label = used.has(mark) ? `${page}-${mark}` : mark;
    used.add(label);
    labels.set(`${page} ${mark}`, label);
  }
  let out = '';
  let page: number | undefined;
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    if (out !== '')
      out += block.kind === 'item' && before?.kind === 'item' && block.page === page ? '\n' : '\n\n';
    if (hasPages && block.page !== page) out += `${pageMark(block.page)}\n\n`;
    page = block.page;
    const inline = (text: string): string =>
      (format === 'markdown' ? escapeText(text) : text).replace(REFERENCE, (_all, mark: string) => {
        const label = labels.get(`${block.page} ${mark}`);
        return label === undefined || format === 'text' ? mark : `[^${label}]`;
      });
    // In Markdown the brackets of its text are escaped.
    out +=
      format === 'markdown'
        ? markdownOf(block, inline, labels)
        : textOf(block, inline).replace(LIKE_PAGE_MARK, '($1)');
  }
  return out;
}

type Inline = (text: string) => string;

function markdownOf(block: PdfBlock, inline: Inline, labels: Map<string, string>): string {
  const { kind, page, text, level, mark, rows } = block;
  if (kind === 'heading') return `${'#'.repeat(level)} ${inline(text).replace(/(#+)$/, '\\$1')}`;
  if (kind === 'note') return `[^${labels.get(`${page} ${mark}`) ?? mark}]: ${inline(text)}`;
  if (kind === 'code') return `${fenceOf(text)}\n${text}\n${fenceOf(text)}`;
  if (kind === 'item') {
    const isNumber = /^\d+[.)]$/.test(mark);
    const shown = isNumber
      ? `${Number.parseInt(mark, 10)}.`
      : /^[([]?\w/.test(mark)
        ? `- ${inline(mark)}`
        : '-';
    return `${'    '.repeat(level)}${shown} ${inline(text)}`;
  }
  if (kind !== 'table') return escapeLineStarts(inline(text));
  const lines = rows.map((row) => `| ${row.map((cell) => inline(cell).replace(/\|/g, '\\|')).join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`);
  return lines.join('\n');
}

const fenceOf = (text: string): string =>
  '`'.repeat(Math.max(3, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length + 1)));

function textOf({ kind, text, level, mark, rows }: PdfBlock, inline: Inline): string {
  if (kind === 'table') return rows.map((row) => row.map(inline).join('\t')).join('\n');
  if (kind === 'item') return `${'  '.repeat(level)}${/\w/.test(mark) ? mark : '-'} ${inline(text)}`;
  return kind === 'note' ? `${mark} ${inline(text)}` : kind === 'code' ? text : inline(text);
}
