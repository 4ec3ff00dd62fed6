import type { Readable } from 'node:stream';
import { LIMITS } from '../core/limits.ts';

/** Calls `receive` for every line, and `end` once. A line over the limit is passed on as an empty line. */
export function readLines(input: Readable, receive: (line: string) => void, end: () => void): void {
  let rest = '';
  let isSkipping = false;
  let hasEnded = false;
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isSkipping && line.trim() !== '') receive(line);
      isSkipping = false;
    }
    if (rest.length <= LIMITS.messageBytesMax) return;
    if (!isSkipping) receive('');
    isSkipping = true;
    rest = '';
  });
  const endOnce = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    end();
  };
  for (const event of ['end', 'close', 'error']) input.once(event, endOnce);
}
