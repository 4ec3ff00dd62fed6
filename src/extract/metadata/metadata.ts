import { resolve } from '../write/writer-context.ts';
import type { PageHead } from '../parse/head.ts';
import type { Tree } from '../parse/nodes.ts';
import { readByline } from './byline.ts';
import { readDates } from './published.ts';
import { hostNames, readSiteName } from './site-name.ts';
import { fromLinked, fromMeta, readDeclaredMetadata } from './declared-metadata.ts';
import { readTitle } from './title.ts';

/** Metadata of a page. Fields are absent if they were not found. */
export interface Metadata {
  title: string;
  /** The authors, separated by commas; the organisation if the page names no person. */
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
  /** The preview image for sharing. */
  leadImage?: string;
}

/**
 * Reads title, author, dates and addresses from head tags, JSON-LD and the usual places on the page, in this order of trust. The elements must have
 * their names, as they do once the page was surveyed.
 */
export function readMetadata(tree: Tree, url: string | undefined): Metadata {
  const head = tree.head;
  const declared = readDeclaredMetadata(head);
  const base = baseOf(head, url);
  const canonicalUrl = readCanonicalUrl(head, url);
  const siteName = readSiteName(declared, url ?? canonicalUrl);
  const language = readLanguage(head);
  const { text: title, heading } = readTitle(tree, declared, { siteName, url: url ?? canonicalUrl });
  const publisher = fromLinked(declared.about, 'publisher');
  const sites = [siteName, publisher, ...hostNames(url ?? canonicalUrl)].filter((name) => name !== undefined);
  const fields: Partial<Record<keyof Metadata, string | undefined>> = {
    byline: readByline(tree, declared, { heading, sites }),
    ...readDates(tree, declared, { heading, language, urls: [url, canonicalUrl] }),
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

/** The canonical URL that a page declares. */
export const readCanonicalUrl = (head: PageHead, url: string | undefined): string | undefined =>
  webAddress(linkOf(head, 'canonical') ?? fromMeta(head, 'og:url'), baseOf(head, url));

const baseOf = (head: PageHead, url: string | undefined): string | undefined =>
  URL.parse(head.base, url)?.href ?? url;

function readLanguage(head: PageHead): string | undefined {
  const declared =
    head.language || fromMeta(head, 'content-language', 'language', 'og:locale', 'dc.language');
  const match = /^[a-z]{2,3}([-_][a-z0-9]{2,8})*(?=[\s,;]|$)/i.exec((declared ?? '').trim());
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
