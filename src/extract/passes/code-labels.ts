import type { ElementNode, Tree } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import { codeLanguage } from '../write/code-language.ts';
import type { Pass, PassPage } from './pass.ts';

/** Names of the same language. */
const SAME: Record<string, string> = {
  javascript: 'js',
  typescript: 'ts',
  python: 'py',
  python3: 'py',
  bash: 'sh',
  shell: 'sh',
  shellscript: 'sh',
  console: 'sh',
  terminal: 'sh',
  yml: 'yaml',
  'c++': 'cpp',
  'c#': 'csharp',
  golang: 'go',
};

const LABEL_CHARS_MAX = 20;

/** Drops the name of a language above or inside a code listing, where the markup of the listing names it as well. */
export const codeLabels = {
  name: 'code-labels',
  why: 'The fence of the code block names the language already.',
  madeFor: 'documentation and technical blogs',
  run: dropCodeLabels,
} satisfies Pass;

function dropCodeLabels({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  for (const pre of tree.elements) {
    if (pre.tag !== 'pre' || pre.skipped) continue;
    if (isInFrame(pre)) dropLabel(pre, pre.first - 1, tree, keep);
    if (pre.end - pre.first === 2) dropLabel(pre, pre.first, tree, keep);
  }
}

function dropLabel(pre: ElementNode, index: number, { blocks }: Tree, keep: Uint8Array): void {
  const label = blocks[index];
  if (label === undefined || label.text.length > LABEL_CHARS_MAX) return;
  if (HEADING_TAGS.has(label.element.tag) || label.element.tag === 'li') return;
  const language = codeLanguage(pre);
  if (language !== '' && nameOf(label.text) === nameOf(language)) keep[index] = 0;
}

const nameOf = (language: string): string =>
  SAME[language.trim().toLowerCase()] ?? language.trim().toLowerCase();

/** Whether the text before belongs to the same small part of the page. */
const isInFrame = (pre: ElementNode): boolean => {
  const frame = pre.parent?.parent ?? pre.parent;
  return frame !== undefined && frame.first < pre.first;
};
