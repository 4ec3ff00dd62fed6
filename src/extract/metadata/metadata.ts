import { resolve } from '../write/writer-context.ts';
import type { PageHead } from '../parse/head.ts';
import type { Tree } from '../parse/nodes.ts';
import { readByline } from './byline.ts';
import { readDates } from './published.ts';
import { hostNames, readSiteName } from './site-name.ts';
import { fromLinked, fromMeta, readStated } from './stated.ts';
import { readTitle } from './title.ts';

/** What a page says about itself. Absent fields were not found. */
export interface Metadata {
  title: string;
  /** The people who wrote it, by commas; the organisation where the page names nobody else. */
  byline?: string;
  /** ISO 8601, as precise as the page was and in its time zone. */
  publishedDate?: string;
  modifiedDate?: string;
  /** BCP 47. */
  language?: string;
  siteName?: string;
  description?: string;
  canonicalUrl?: string;
  favicon?: string;
  /** The image the page shows when it is shared. */
  leadImage?: string;
}

/**
 * Reads title, author, dates and addresses from head tags, JSON-LD and the usual places on the page, in this order of trust. The elements must have
 * their names, as they do once the page was surveyed.
 */
export function readMetadata(tree: Tree, url: string | undefined): Metadata {
  const head = tree.head;
  const stated = readStated(head);
  const base = baseOf(head, url);
  const canonicalUrl = readCanonicalUrl(head, url);
  const siteName = readSiteName(stated, url ?? canonicalUrl);
  const language = readLanguage(head);
  const { text: title, heading } = readTitle(tree, stated, siteName);
  const publisher = fromLinked(stated.about, 'publisher');
  const sites = [siteName, publisher, ...hostNames(url ?? canonicalUrl)].filter((name) => name !== undefined);
  const fields: Partial<Record<keyof Metadata, string | undefined>> = {
    byline: readByline(tree, stated, { heading, sites }),
    ...readDates(tree, stated, { heading, language, urls: [url, canonicalUrl] }),
    language,
    siteName,
    description: fromMeta(head, 'og:description', 'description', 'twitter:description', 'dc.description'),
    canonicalUrl,
    favicon: readFavicon(head, base),
    leadImage: webAddress(fromMeta(head, 'og:image', 'og:image:url', 'twitter:image'), base),
  };
  const metadata: Metadata = { title };
  for (const [name, value] of Object.entries(fields) as [keyof Metadata, string | undefined][])
    if (value !== undefined && value !== '') metadata[name] = value;
  return metadata;
}

/** The address that a page gives itself. */
export const readCanonicalUrl = (head: PageHead, url: string | undefined): string | undefined =>
  webAddress(linkOf(head, 'canonical') ?? fromMeta(head, 'og:url'), baseOf(head, url));

const baseOf = (head: PageHead, url: string | undefined): string | undefined =>
  URL.parse(head.base, url)?.href ?? url;

function readLanguage(head: PageHead): string | undefined {
  const stated = head.language || fromMeta(head, 'content-language', 'language', 'og:locale', 'dc.language');
  const match = /^[a-z]{2,3}([-_][a-z0-9]{2,8})*(?=[\s,;]|$)/i.exec((stated ?? '').trim());
  return match === null ? undefined : match[0].replace(/_/g, '-');
}

const linkOf = (head: PageHead, rel: string): string | undefined =>
  head.links.find((link) => link.rel.split(/\s+/).includes(rel))?.href;

function webAddress(address: string | undefined, base: string | undefined): string | undefined {
  const found = address === undefined ? undefined : resolve(address, base);
  return found !== undefined && /^https?:/.test(found) ? found : undefined;
}

function readFavicon(head: PageHead, base: string | undefined): string | undefined {
  const icon = linkOf(head, 'icon') ?? linkOf(head, 'apple-touch-icon');
  return webAddress(icon ?? (base === undefined ? undefined : '/favicon.ico'), base);
}
