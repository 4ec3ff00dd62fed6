import { clip, oneLine } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import type { Extracted } from './extracted.ts';

/** A result without HTML's extras. */
export function plainExtracted(
  kind: Extracted['kind'],
  title: string,
  text: string,
  markdown: string,
): Extracted {
  const isEmpty = text.trim() === '';
  return {
    kind,
    title: clip(oneLine(title), 300),
    text,
    markdown: isEmpty ? '' : markdown,
    images: [],
    links: [],
    quality: isEmpty ? 'degraded' : 'ok',
    ...(isEmpty ? { reason: own`The ${kind === 'text' ? 'file' : kind} holds no text.` } : {}),
    hiddenTextRemoved: 0,
    warnings: [],
  };
}
