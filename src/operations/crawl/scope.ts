import type { MapInput } from '../../contract/crawl.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { checkText, type GuardPolicy } from '../../net/guard.ts';
import { createPatterns } from './patterns.ts';

type ScopeRules = Pick<
  MapInput,
  'url' | 'select_paths' | 'select_domains' | 'exclude_paths' | 'exclude_domains' | 'allow_external'
>;

/** The links that a crawl follows. */
export interface Scope {
  start: URL;
  /** The links that may be followed, in order, each once. */
  select(links: string[]): string[];
}

/** Files without readable text. */
const ASSET =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|css|js|mjs|woff2?|ttf|mp[34]|webm|avi|mov|zip|gz|tgz|tar|rar|7z|exe|dmg|iso|bin)$/i;

/**
 * Parses the caller's rules; throws for an invalid start or pattern. With a policy, the start is checked as
 * written, because a parser would normalise `0x8.8`.
 */
export function createScope(input: ScopeRules, policy?: GuardPolicy): Scope {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(input.url) ? input.url : `https://${input.url}`;
  if (policy !== undefined) checkText(written, policy);
  const start = URL.parse(written);
  if (start === null) {
    throw new HeadgateError('invalid_url', own`url: "${named(input.url)}" is not an address.`, {
      remediation: 'Send something like https://example.com/docs.',
    });
  }
  const site = siteOf(start.hostname);
  const [paths, notPaths] = [
    createPatterns('select_paths', input.select_paths),
    createPatterns('exclude_paths', input.exclude_paths),
  ];
  const [hosts, notHosts] = [
    createPatterns('select_domains', input.select_domains),
    createPatterns('exclude_domains', input.exclude_domains),
  ];
  return {
    start,
    select: (links) => {
      const urls = [...new Set(links)].flatMap((link) => follow(link) ?? []);
      const pathOf = urls.map((url) => url.pathname);
      const hostOf = urls.map((url) => url.hostname);
      const [inPath, outPath] = [paths?.(pathOf), notPaths?.(pathOf)];
      const [inHost, outHost] = [hosts?.(hostOf), notHosts?.(hostOf)];
      return urls
        .filter((url, index) => {
          const isInside = siteOf(url.hostname) === site || input.allow_external || inHost?.[index] === true;
          return (
            isInside &&
            inPath?.[index] !== false &&
            inHost?.[index] !== false &&
            outPath?.[index] !== true &&
            outHost?.[index] !== true
          );
        })
        .map((url) => url.href);
    },
  };
}

/** A link without its fragment; undefined if it cannot be a page. */
function follow(link: string): URL | undefined {
  const url = URL.parse(link);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || ASSET.test(url.pathname))
    return undefined;
  url.hash = '';
  return url;
}

/** The site of a host: the last two labels, or three below a short second level (`example.co.uk`). */
export function siteOf(host: string): string {
  const labels = host.replace(/\.$/, '').split('.');
  const isShortSecond = (labels.at(-2)?.length ?? 0) <= 3 && (labels.at(-1)?.length ?? 0) === 2;
  return labels.slice(isShortSecond ? -3 : -2).join('.');
}
