import type { Call } from '../core/call.ts';
import { warned } from '../core/own-text.ts';
import { isLater } from '../core/scope.ts';
import { type OwnText, plural } from '../core/text.ts';

/** Leaves out results that the caller's rules refuse, and says how many; and those that are later than what the call is about. */
export function withoutDenied<Found extends { url: string; publishedDate?: string }>(
  found: Found[],
  { gate }: Call,
): { sources: Found[]; warnings: OwnText[] } {
  const sources = found.filter(({ publishedDate }) => !isLater(publishedDate));
  if (gate === undefined) return { sources, warnings: [] };
  const isAllowed = ({ url: text }: Found): boolean => {
    const url = URL.parse(text);
    return url === null || gate.allows({ kind: 'result', url });
  };
  const kept = sources.filter(isAllowed);
  const dropped = sources.length - kept.length;
  return {
    sources: kept,
    warnings: dropped === 0 ? [] : [warned`${plural(dropped, 'result')} left out by the policy.`],
  };
}
