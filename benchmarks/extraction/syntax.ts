/** A node of the trees that rehype and remark read. */
export interface SyntaxNode {
  type: string;
  tagName?: string;
  value?: string;
  url?: string;
  depth?: number;
  properties?: Record<string, unknown>;
  children?: SyntaxNode[];
  /** Of a template. */
  content?: SyntaxNode;
}

/** Kind → what there is of it, each as a short text. */
export type Structures = Record<string, string[]>;

/** Text without space, control and invisible characters: they are no text, and writers may drop them. */
export const plain = (text: string): string =>
  text.replace(/[\s\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2060\u00AD\uFEFF]+/g, '').toLowerCase();

export const SKIPPED = new Set([
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

/** The text that a reader sees; `all` takes in what is hidden. */
export function textOf(node: SyntaxNode, all = false): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value ?? '';
  if (node.tagName !== undefined && SKIPPED.has(node.tagName)) return '';
  if (!all && isHidden(node)) return '';
  return (node.children ?? []).map((child) => textOf(child, all)).join('');
}

export function isHidden(node: SyntaxNode): boolean {
  const style = typeof node.properties?.style === 'string' ? node.properties.style : '';
  return node.properties?.hidden === true || /display\s*:\s*none|visibility\s*:\s*hidden/.test(style);
}

export function absolute(address: unknown, url: string): string {
  return (
    URL.parse(typeof address === 'string' ? address : '', url)
      ?.href.replace(/%28/g, '(')
      .replace(/%29/g, ')') ?? ''
  );
}

/** Without what leads nowhere a reader could go. */
export const reachable = (structures: Structures): Structures => ({
  ...structures,
  link: (structures.link ?? []).filter((link) => /^https?:|^mailto:|^tel:/.test(link)),
  image: (structures.image ?? []).filter((image) => /^https?:/.test(image)),
});
