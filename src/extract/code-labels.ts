import type { ElementNode, Tree } from './parse/nodes.ts';
import { HEADING_TAGS } from './parse/tags.ts';
import { codeLanguage } from './write/code-language.ts';

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

/** Leaves out the name of a language above code that says itself what it is written in. */
export function dropCodeLabels(tree: Tree, keep: Uint8Array): void {
  for (const pre of tree.elements) {
    if (pre.tag !== 'pre' || pre.skipped) continue;
    const label = tree.blocks[pre.first - 1];
    if (label === undefined || label.text.length > LABEL_CHARS_MAX || !isInFrame(pre)) continue;
    if (HEADING_TAGS.has(label.element.tag) || label.element.tag === 'li') continue;
    const language = codeLanguage(pre);
    if (language !== '' && nameOf(label.text) === nameOf(language)) keep[pre.first - 1] = 0;
  }
}

const nameOf = (language: string): string =>
  SAME[language.trim().toLowerCase()] ?? language.trim().toLowerCase();

/** Whether the text before belongs to the same small part of the page. */
const isInFrame = (pre: ElementNode): boolean => {
  const frame = pre.parent?.parent ?? pre.parent;
  return frame !== undefined && frame.first < pre.first;
};
