import type { SearchQuery } from '../core/query.ts';
import type { Source } from '../core/source.ts';
import { plural } from '../core/text.ts';

/** Holds results to the caller's domains whatever the provider made of them, and says what was dropped. */
export function keepDomains(
  sources: Source[],
  query: SearchQuery,
): { sources: Source[]; warnings: string[] } {
  const only = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const never = query.excludeDomains ?? [];
  const kept = sources.filter(
    (source) =>
      (only.length === 0 || only.some((domain) => isOf(source.url, domain))) &&
      !never.some((domain) => isOf(source.url, domain)),
  );
  const dropped = sources.length - kept.length;
  return {
    sources: kept,
    warnings: dropped === 0 ? [] : [`${plural(dropped, 'result')} outside the asked domains dropped.`],
  };
}

/** Whether a URL is of a domain such as `example.com`, `linkedin.com/in` or `*.org`. */
export function isOf(url: string, domain: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const [host = '', ...path] = domain
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split('/');
  const bare = host.replace(/^\*\./, '').replace(/^www\./, '');
  const ours = parsed.hostname.replace(/^www\./, '');
  const prefix = path.join('/').replace(/\/+$/, '');
  return (
    (ours === bare || ours.endsWith(`.${bare}`)) &&
    (prefix === '' || parsed.pathname.toLowerCase().startsWith(`/${prefix}`))
  );
}
