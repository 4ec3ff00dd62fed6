/** Argument names that models use by mistake. */
const ALIASES: Record<string, string> = {
  q: 'query',
  search: 'query',
  search_query: 'query',
  question: 'query',
  limit: 'max_results',
  count: 'max_results',
  num_results: 'max_results',
  n: 'max_results',
  uri: 'url',
  link: 'url',
  href: 'url',
  urls: 'url',
  freshness: 'time_range',
  domains: 'include_domains',
  sites: 'include_domains',
  token_limit: 'max_tokens',
};

/** Renames known aliases: `maxResults`, `max-results` and `limit` become `max_results`. */
export function unalias(raw: unknown): unknown {
  if (typeof raw === 'string') return { query: raw, url: raw };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const named = Object.entries(raw).map(([name, value]): [string, unknown] => {
    const known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
    return [ALIASES[known] ?? known, value];
  });
  return { ...Object.fromEntries(named), ...raw };
}

/** Unwraps a list of one. */
export const single = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
