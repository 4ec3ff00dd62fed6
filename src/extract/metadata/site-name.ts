import { oneLine } from '../../core/text.ts';
import { textField, typesOf } from '../parse/linked-data.ts';
import { decodeText } from '../parse/attributes.ts';
import { fromLinked, fromMeta, plainWords, type DeclaredMetadata } from './declared-metadata.ts';

/** The declared name of the site, or the part of the title that matches the host. */
export function readSiteName(
  { head, about, all }: DeclaredMetadata,
  url: string | undefined,
): string | undefined {
  const site = all.find((object) => typesOf(object).includes('WebSite'));
  return (
    fromMeta(head, 'og:site_name', 'application-name', 'apple-mobile-web-app-title') ??
    fromLinked(about, 'publisher') ??
    (site && textField(site, 'name')) ??
    hostInTitle(oneLine(decodeText(head.title)), url)
  );
}

/** Separates the title of a page from the name of its site. */
export const TITLE_SEPARATOR = /\s+[|\-–—·•»«:]+\s+|\s*[|｜]\s*|：/;

function hostInTitle(title: string, url: string | undefined): string | undefined {
  const labels = hostNames(url);
  return title
    .split(TITLE_SEPARATOR)
    .slice(1)
    .findLast((part) => labels.includes(plainWords(part).replaceAll(' ', '')));
}

/** The names that a host may go by: whole, without `www`, and without its TLD. */
export function hostNames(url: string | undefined): string[] {
  const host = (URL.parse(url ?? '')?.hostname ?? '').replace(/^www\./, '');
  if (host === '') return [];
  const labels = host.split('.');
  const names = [host, ...labels.slice(0, -1), labels.slice(0, -1).join('')];
  return names.map((name) => plainWords(name).replaceAll(' ', '')).filter((name) => name.length > 2);
}
