import { other } from './libraries.ts';
import { bagF1, mean } from './metric.ts';

interface SyntaxNode {
  type: string;
  tagName?: string;
  value?: string;
  url?: string;
  properties?: Record<string, unknown>;
  children?: SyntaxNode[];
}

type Structures = Record<string, string[]>;

const KINDS = ['heading', 'code', 'link', 'image', 'table', 'cell', 'item', 'emphasis', 'inlineCode'];

interface Sample {
  html: string;
  url: string;
  markdown: string;
}

/** How well the structures of pages survive in their Markdown, read back with remark-gfm: F1 by kind, averaged over the pages that have it. */
export async function compareStructures(samples: Sample[]): Promise<Record<string, number>> {
  type Processor = { use(plugin: unknown, options?: unknown): Processor; parse(text: string): SyntaxNode };
  const { unified } = await other<{ unified(): Processor }>('unified');
  const plugin = async (name: string): Promise<unknown> => (await other<{ default: unknown }>(name)).default;
  const html = unified().use(await plugin('rehype-parse'));
  const markdown = unified()
    .use(await plugin('remark-parse'))
    .use(await plugin('remark-gfm'));
  const scores = new Map<string, number[]>();
  for (const sample of samples) {
    const gold = fromHtml(html.parse(sample.html), sample.url);
    const found = fromMarkdown(markdown.parse(sample.markdown), sample.url);
    for (const kind of KINDS) {
      const [wanted, got] = [gold[kind] ?? [], found[kind] ?? []];
      if (wanted.length === 0 && got.length === 0) continue;
      scores.set(kind, [...(scores.get(kind) ?? []), bagF1(wanted, got)]);
    }
  }
  return Object.fromEntries([...scores].map(([kind, values]) => [kind, Number(mean(values).toFixed(4))]));
}

const plain = (text: string): string => text.replace(/[\s\u200B\u00AD]+/g, '').toLowerCase();

const SKIPPED = new Set([
  'script',
  'style',
  'template',
  'svg',
  'select',
  'textarea',
  'iframe',
  'head',
  'noscript',
  'object',
  'canvas',
  'math',
]);

function textOf(node: SyntaxNode): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value ?? '';
  if (node.tagName !== undefined && SKIPPED.has(node.tagName)) return '';
  return (node.children ?? []).map(textOf).join('');
}

function absolute(address: unknown, url: string): string {
  return (
    URL.parse(typeof address === 'string' ? address : '', url)
      ?.href.replace(/%28/g, '(')
      .replace(/%29/g, ')') ?? ''
  );
}

const NAMES: Record<string, string> = {
  li: 'item',
  td: 'cell',
  th: 'cell',
  table: 'table',
  strong: 'emphasis',
  b: 'emphasis',
  em: 'emphasis',
  i: 'emphasis',
  pre: 'code',
};

/** Keys and samples are written as code, too. */
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

function fromHtml(root: SyntaxNode, url: string): Structures {
  const out: Structures = {};
  const add = (kind: string, text: string): void => {
    if (text !== '') (out[kind] ??= []).push(text);
  };
  const visit = (node: SyntaxNode, around: Set<string>): void => {
    const tag = node.tagName ?? '';
    if (SKIPPED.has(tag) || isHidden(node)) return;
    const text = (): string => plain(textOf(node));
    if (/^h[1-6]$/.test(tag)) add('heading', `${tag[1]} ${text()}`);
    else if (tag === 'a' && node.properties?.href !== undefined && text() !== '')
      add('link', absolute(node.properties.href, url));
    else if (tag === 'img') add('image', absolute(node.properties?.src, url));
    // Markdown has no emphasis inside code.
    else if (CODE.has(tag) && !around.has('pre') && !around.has('inlineCode')) add('inlineCode', text());
    else if (tag === 'table' && !around.has('table') && !isLayout(node)) add('table', 'table');
    else if (
      NAMES[tag] !== undefined &&
      tag !== 'table' &&
      !(NAMES[tag] === 'cell' && around.has('layout')) &&
      !(NAMES[tag] === 'emphasis' && (around.has('pre') || around.has('code') || around.has('emphasis')))
    )
      add(NAMES[tag], text().slice(0, 60));
    const inside = tag === '' ? around : new Set([...around, tag, NAMES[tag] ?? '']);
    if (tag === 'table' && isLayout(node)) inside.add('layout');
    if (CODE.has(tag)) inside.add('inlineCode');
    for (const child of node.children ?? []) visit(child, inside);
  };
  visit(root, new Set());
  return clean(out);
}

/** A table for the sake of its frame is none: it says so, or has no row of two cells. */
function isLayout(table: SyntaxNode): boolean {
  if (table.properties?.role === 'presentation') return true;
  const rows = (node: SyntaxNode): SyntaxNode[] =>
    node.tagName === 'tr' ? [node] : node.tagName === 'td' ? [] : (node.children ?? []).flatMap(rows);
  const cells = (row: SyntaxNode): number =>
    (row.children ?? []).filter(({ tagName }) => tagName === 'td' || tagName === 'th').length;
  return rows(table).every((row) => cells(row) < 2);
}

function isHidden(node: SyntaxNode): boolean {
  const style = typeof node.properties?.style === 'string' ? node.properties.style : '';
  return node.properties?.hidden === true || /display\s*:\s*none/.test(style);
}

const clean = (out: Structures): Structures => ({
  ...out,
  link: (out.link ?? []).filter((link) => /^https?:|^mailto:|^tel:/.test(link)),
  image: (out.image ?? []).filter((image) => /^https?:/.test(image)),
});

const MARKDOWN_KINDS: Record<string, string> = {
  listItem: 'item',
  tableCell: 'cell',
  strong: 'emphasis',
  emphasis: 'emphasis',
  inlineCode: 'inlineCode',
  code: 'code',
};

function fromMarkdown(root: SyntaxNode, url: string): Structures {
  const out: Structures = {};
  const visit = (node: SyntaxNode & { depth?: number }, isEmphasised: boolean): void => {
    const kind = MARKDOWN_KINDS[node.type];
    const text = plain(textOf(node));
    if (node.type === 'heading') (out.heading ??= []).push(`${node.depth} ${text}`);
    else if (node.type === 'link' && text !== '') (out.link ??= []).push(absolute(node.url, url));
    else if (node.type === 'image') (out.image ??= []).push(absolute(node.url, url));
    else if (node.type === 'table') (out.table ??= []).push('table');
    else if (kind !== undefined && text !== '' && !(kind === 'emphasis' && isEmphasised))
      (out[kind] ??= []).push(kind === 'inlineCode' ? text : text.slice(0, 60));
    for (const child of node.children ?? []) visit(child, isEmphasised || kind === 'emphasis');
  };
  visit(root, false);
  return clean(out);
}
