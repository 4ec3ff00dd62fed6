import { absolute, plain, reachable, type Structures, type SyntaxNode, textOf } from './syntax.ts';

const KINDS: Record<string, string> = {
  listItem: 'item',
  tableCell: 'cell',
  strong: 'emphasis',
  emphasis: 'emphasis',
  inlineCode: 'inlineCode',
  code: 'code',
};

/** What a Markdown text holds, as remark-gfm reads it. */
export function markdownStructures(root: SyntaxNode, url: string): Structures {
  const out: Structures = {};
  const visit = (node: SyntaxNode, isEmphasised: boolean): void => {
    const kind = KINDS[node.type];
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
  return reachable(out);
}
