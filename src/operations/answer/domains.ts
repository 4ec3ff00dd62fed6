import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { warned } from '../../core/own-text.ts';
import { plural, type OwnText } from '../../core/text.ts';
import { isOn } from '../../providers/kit/narrow.ts';

/** Applies the caller's domain filter to the results, and reports what was dropped. */
export function keepDomains(
  sources: Source[],
  query: SearchQuery,
): { sources: Source[]; warnings: OwnText[] } {
  const only = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const never = query.excludeDomains ?? [];
  const kept = sources.filter(
    (source) =>
      (only.length === 0 || only.some((domain) => isOn(source.url, domain))) &&
      !never.some((domain) => isOn(source.url, domain)),
  );
  const dropped = sources.length - kept.length;
  return {
    sources: kept,
    warnings: dropped === 0 ? [] : [warned`${plural(dropped, 'result')} outside the asked domains dropped.`],
  };
}
