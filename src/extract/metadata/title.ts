import { clip, oneLine } from '../../core/text.ts';
import { decodeText } from '../parse/attributes.ts';
import type { ElementNode, Tree } from '../parse/nodes.ts';
import { innerText } from './place.ts';
import { hostNames, TITLE_SEPARATOR } from './site-name.ts';
import { fromLinked, fromMeta, plainWords, type DeclaredMetadata } from './declared-metadata.ts';

export interface Title {
  text: string;
  /** The heading with this title, if there is one. */
  heading: ElementNode | undefined;
}

interface Heading {
  element: ElementNode;
  text: string;
  words: string;
}

const HEADINGS_MAX = 20;
const CHARS_MAX = 300;

/**
 * Finds the title as readers see it: the heading that matches the declared titles, or a declared title
 * without the name of the site.
 */
export function readTitle(
  tree: Tree,
  declared: DeclaredMetadata,
  { siteName, url }: { siteName: string | undefined; url: string | undefined },
): Title {
  const own = clip(oneLine(decodeText(tree.head.title)), CHARS_MAX);
  const site = plainWords(siteName ?? '');
  const titles = [
    fromLinked(declared.about, 'headline'),
    fromMeta(tree.head, 'og:title'),
    fromMeta(tree.head, 'twitter:title', 'parsely-title', 'dc.title', 'dcterms.title', 'citation_title'),
    own,
  ]
    .map((text) => withoutSite(text ?? '', site, hostNames(url)))
    .filter((text) => text !== '' && plainWords(text) !== site);
  const headings = listHeadings(tree, site);
  const heading = namedHeading(headings, titles) ?? likelyHeading(headings, titles);
  if (heading !== undefined) return { text: heading.text, heading: heading.element };
  return { text: titles[0] ?? (own || (headings[0]?.text ?? '')), heading: headings[0]?.element };
}

function listHeadings(tree: Tree, site: string): Heading[] {
  const found: Heading[] = [];
  for (const element of tree.elements) {
    if (element.tag !== 'h1' && element.tag !== 'h2') continue;
    const text = oneLine(innerText(element, CHARS_MAX + 1));
    const words = plainWords(text);
    if (words === '' || text.length > CHARS_MAX || words === site || element.hidden !== '') continue;
    found.push({ element, text, words });
    if (found.length >= HEADINGS_MAX) break;
  }
  return found.sort((a, b) => Number(a.element.tag > b.element.tag) - Number(b.element.tag > a.element.tag));
}

/**
 * The longest heading that equals or starts one of the titles; an `h1` may also be in the middle or at the
 * end.
 */
function namedHeading(headings: Heading[], titles: string[]): Heading | undefined {
  for (const title of titles.map(plainWords)) {
    const matching = headings.filter(
      ({ words, element }) =>
        words === title ||
        title.startsWith(`${words} `) ||
        (element.tag === 'h1' && words.length > 3 && ` ${title} `.includes(` ${words} `)),
    );
    if (matching.length > 0)
      return matching.reduce((best, one) => (one.words.length > best.words.length ? one : best));
  }
  return undefined;
}

const SHARED_MIN = 0.5;

/** The only main heading, when it shares most of its words with a title: titles for search engines are often worded differently. */
function likelyHeading(headings: Heading[], titles: string[]): Heading | undefined {
  const main = headings.filter(({ element }) => element.tag === 'h1');
  const [only] = main;
  if (only === undefined || main.length > 1) return undefined;
  const known = new Set(titles.flatMap((title) => plainWords(title).split(' ')));
  const words = only.words.split(' ');
  const shared = words.filter((word) => known.has(word)).length;
  if (shared / words.length < SHARED_MIN) return undefined;
  // The heading has extra words, or its parts run together; the declared title is cleaner.
  const [first = ''] = titles;
  const isWhole = plainWords(first).length > 3 && joined(only.words).includes(joined(plainWords(first)));
  return isWhole ? { ...only, text: first } : only;
}

const joined = (words: string): string => words.replaceAll(' ', '');

const SEPARATORS = new RegExp(`(${TITLE_SEPARATOR.source})`);

/** A title without the site's name at either end. */
function withoutSite(title: string, site: string, hosts: string[]): string {
  const parts = title.split(SEPARATORS);
  while (parts.length > 2 && namesSite(parts.at(-1) ?? '', site, hosts)) parts.splice(-2);
  while (parts.length > 2 && plainWords(parts[0] ?? '') === site) parts.splice(0, 2);
  return parts.join('').trim();
}

/** Labels of hosts that do not name a site. */
const COMMON = new Set(
  'blog news shop store docs forum forums community support help apps health'.split(' '),
);
const SITE_WORDS_MAX = 5;

/** Whether the last part of a title names the site: by its name, a part of that, or the name of its host with more. */
function namesSite(part: string, site: string, hosts: string[]): boolean {
  const words = plainWords(part);
  const whole = joined(words);
  if (whole.length < 3) return false;
  if (words === site || (whole.length > 3 && ` ${site} `.includes(` ${words} `)) || hosts.includes(whole))
    return true;
  if (words.split(' ').length > SITE_WORDS_MAX || part.includes('?')) return false;
  return hosts.some(
    (host) =>
      !COMMON.has(host) &&
      host.length > 3 &&
      (words.startsWith(`${host} `) || (host.length > 5 && whole.startsWith(host))),
  );
}
