import { LIMITS } from '../core/limits.ts';

/**
 * Extracts the JSON object of a model's answer: from a fenced block, or between the outermost braces;
 * undefined when there is none.
 */
export function jsonInAnswer(text: string): unknown {
  const bounded = text.slice(0, LIMITS.modelAnswerCharsMax);
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/i.exec(bounded)?.[1];
  const braces = bounded.slice(bounded.indexOf('{'), bounded.lastIndexOf('}') + 1);
  for (const candidate of [fenced, braces, bounded]) {
    const value = candidate === undefined ? undefined : parse(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
