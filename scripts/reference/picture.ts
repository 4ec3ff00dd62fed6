// The picture of the README: a terminal with a question, its quoted answer and its sources. The text is a report that
// tests/research/examples.test.ts compares with what the product writes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const COLUMNS = 104;
const LINE = 21;
const LEFT = 28;
const TOP = 66;
/** Which sections are shown; the whole report is a page of its own. */
const SECTIONS = ['Executive Summary', 'Conflicting Information', 'Sources'];

export function pictures(): Record<string, string> {
  const report = readFileSync(
    join(import.meta.dirname, '../../docs/examples/research/canal.md'),
    'utf8',
  ).split('\n');
  return { 'docs/images/answer.svg': draw(linesOf(report)) };
}

interface Line {
  text: string;
  kind: 'prompt' | 'heading' | 'text';
}

function linesOf(report: string[]): Line[] {
  const question = (report[0] ?? '').replace('# ', '');
  const lines: Line[] = [{ text: `$ headgate research "${question}"`, kind: 'prompt' }];
  let isShown = false;
  for (const line of report.slice(1)) {
    const heading = /^#+ (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      isShown = SECTIONS.includes(heading);
      if (isShown) lines.push({ text: '', kind: 'text' }, { text: heading, kind: 'heading' });
    } else if (isShown && line !== '') {
      for (const text of wrap(plain(line))) lines.push({ text, kind: 'text' });
    }
  }
  return lines;
}

/** Markdown as a terminal shows it: links as title and address. */
const plain = (line: string): string =>
  line
    .replaceAll('**', '')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1, $2')
    .replace(/^(\d+)\. \[\d+\]/, '[$1]')
    .replace(/ \(src-\w+, [\w ]+, ([\d-]+)\)/, ', $1');

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length >= COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function draw(lines: Line[]): string {
  const height = TOP + lines.length * LINE + 16;
  const rows = lines.map(({ text, kind }, at) =>
    text === '' ? '' : `<text x="${LEFT}" y="${TOP + at * LINE}" class="${kind}">${marked(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 ${height}" width="920" height="${height}" role="img" aria-label="A terminal: headgate research answers a question with quotes, a contradiction and numbered sources">
<style>
text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: #d7dde4 }
.prompt { fill: #fff; font-weight: 600 }
.heading { fill: #7cc4ff; font-weight: 600 }
.cite { fill: #7ee2a8; font-weight: 600 }
</style>
<rect width="920" height="${height}" rx="10" fill="#12181f"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${rows.filter((row) => row !== '').join('\n')}
</svg>
`;
}

const marked = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\[\d+\]/g, '<tspan class="cite">$&</tspan>');
