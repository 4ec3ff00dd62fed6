import type { Progress } from '../core/call.ts';
import { clip, oneLine, type SafeText } from '../core/text.ts';
import { styleText } from 'node:util';

const BAR_CHARS = 24;
const MESSAGE_CHARS = 48;

/** A progress line that overwrites itself on a terminal; elsewhere nothing is written. */
export function createProgressLine(
  say: (text: string) => void,
  isTerminal: boolean,
): { show(progress: Progress): void; clear(): void } {
  return {
    show: ({ done, total, message = '' }) => {
      if (!isTerminal) return;
      const filled = total === undefined || total === 0 ? 0 : Math.round((done / total) * BAR_CHARS);
      const bar =
        total === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(Math.max(0, BAR_CHARS - filled))} `;
      const count = total === undefined ? String(done) : `${done}/${total}`;
      say(`\r\x1b[K${bar}${count} ${clip(oneLine(message), MESSAGE_CHARS)}`);
    },
    clear: () => {
      if (isTerminal) say('\r\x1b[K');
    },
  };
}

type Style = Parameters<typeof styleText>[0];

/** Colours for a terminal, plain text for a pipe. Untrusted text must be escaped before it is styled. */
export const createStyle =
  (isTerminal: boolean) =>
  (style: Style, text: SafeText): SafeText =>
    isTerminal ? (styleText(style, text) as SafeText) : text;
