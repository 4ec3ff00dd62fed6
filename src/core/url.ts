const TRACKING = /^(utm_[a-z]+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_hsenc|_hsmi|ref_src)$/i;

/**
 * A key for comparing URLs: drops the scheme, `www.`, default port, fragment, tracking parameters and
 * trailing slash, lower-cases the host and sorts the parameters. Never fetched or shown.
 */
export function canonicalUrl(url: string): string {
  const parsed = URL.parse(url.trim());
  if (parsed === null) return url.trim();
  const parameters = [...parsed.searchParams].filter(([name]) => !TRACKING.test(name)).sort(byEntry);
  const query = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.host.replace(/^www\./, '')}${path}${query}`;
}

/** Removes the fragment of a URL, unless it is a client-side route (`#/…`, `#!…`). */
export function withoutFragment(url: string): string {
  const at = url.indexOf('#');
  return at === -1 || /^#[/!]/.test(url.slice(at)) ? url : url.slice(0, at);
}

/** Removes URLs that lead to the same page; the first one is kept. */
export function distinctPages(urls: readonly string[]): string[] {
  const seen = new Set<string>();
  return urls.flatMap((url) => {
    const address = url.trim();
    const page = withoutFragment(address);
    if (seen.has(page)) return [];
    seen.add(page);
    return [address];
  });
}

/** The host of a URL without `www.`, or an empty string. */
export const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';

const byEntry = (a: [string, string], b: [string, string]): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
