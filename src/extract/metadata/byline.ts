import { groupBit } from '../parse/class-groups.ts';
import { decodeText } from '../parse/attributes.ts';
import { attributeOf, type ElementNode, type Tree } from '../parse/nodes.ts';
import { type Json, type JsonObject, typesOf } from '../parse/linked-data.ts';
import { distinct, isByline, readPeople, readPerson } from './people.ts';
import { innerText, isTestimonial, standsApart } from './place.ts';
import { isProduct, plainWords, type DeclaredMetadata } from './declared-metadata.ts';

const METAS = (
  'citation_author parsely-author sailthru.author author article:author article:author_name ' +
  'og:article:author dc.creator dcterms.creator dc.contributor byl creator'
).split(' ');

/**
 * Author names: structured data first (JSON-LD, meta tags); if that only names the site, fall back to the
 * visible byline. Product pages have no author.
 */
export function readByline(
  tree: Tree,
  declared: DeclaredMetadata,
  page: { heading: ElementNode | undefined; sites: string[] },
): string | undefined {
  if (isProduct(declared)) return undefined;
  const sites = new Set(page.sites.map((site) => plainWords(site).replaceAll(' ', '')));
  const isPerson = (name: string): boolean => !sites.has(plainWords(name).replaceAll(' ', ''));
  let fallback: string[] = [];
  for (const find of [
    () => linkedPeople(declared),
    () => metaPeople(declared),
    () => seenPeople(tree, page.heading),
  ]) {
    const names = find();
    const people = names.filter(isPerson);
    if (people.length > 0) return people.join(', ');
    if (fallback.length === 0) fallback = names;
  }
  return fallback.length === 0 ? undefined : fallback.join(', ');
}

/** The authors of the first JSON-LD object that has any. Reviews of a product do not count. */
function linkedPeople({ about, byId, all }: DeclaredMetadata): string[] {
  const reviews = new Set(all.flatMap(({ review, reviews: more }) => [review, more].flat()));
  for (const [index, object] of about.entries()) {
    if (reviews.has(object) || (index > 0 && typesOf(object).includes('Review'))) continue;
    for (const field of ['author', 'creator']) {
      const names = distinct(
        namesIn(object[field], byId).flatMap((name) => readPerson(decodeText(name.slice(0, TEXT_CHARS_MAX)))),
      );
      if (names.length > 0) return names;
    }
  }
  return [];
}

const PEOPLE_MAX = 50;

function namesIn(value: Json | undefined, byId: Map<string, JsonObject>): string[] {
  if (typeof value === 'string') return value.slice(0, TEXT_CHARS_MAX).split(/\s*[,;]\s+/);
  if (Array.isArray(value)) return value.slice(0, PEOPLE_MAX).flatMap((item) => namesIn(item, byId));
  if (typeof value !== 'object' || value === null) return [];
  const id = value['@id'];
  const name = value['name'] ?? (typeof id === 'string' ? byId.get(id)?.['name'] : undefined);
  return [name].flat().filter((text) => typeof text === 'string');
}

/** The authors of the first kind of meta tag that has any. Several authors have one tag each. */
function metaPeople({ head }: DeclaredMetadata): string[] {
  for (const name of METAS) {
    const texts = head.metas.filter((meta) => meta.name === name).map(({ content }) => content);
    // A journal writes the family name first, with a comma.
    const names = distinct(texts.flatMap(name === 'citation_author' ? readCited : readPeople));
    if (names.length > 0) return names;
  }
  return [];
}

const readCited = (text: string): string[] => readPerson(text.replace(/^([^,]+),\s*([^,]+)$/, '$2 $1'));

const NAMED =
  /(^|[\s_-])(author|byline|by-line|byline-?name|author-?name|post-?author|article-?author|entry-?author|autor(in|en)?|autore|auteur|verfasser|writer|reporter|creator|contributor|journalist)s?([\s_-]|$)/i;
/** Of these words the groups of class names know nothing. */
const WRITERS = new Set(
  'autor autorin autoren autores autore auteur auteurs verfasser writer reporter contributor journalist'.split(
    ' ',
  ),
);
const NOT_NAMED =
  /comment|avatar|image|img|photo|bio\b|description|social|role|title|job|date|time|related|more|follow|box|\bno[-_]?(byline|author)/i;
const META = groupBit('meta');
const CANDIDATES_MAX = 60;
const TEXT_CHARS_MAX = 2_000;
const SEEN_CHARS_MAX = 200;

interface Candidate {
  element: ElementNode;
  names: string[];
  kind: string;
  cost: number;
}

/** The names beside the heading in elements that say to hold an author's. */
function seenPeople(tree: Tree, heading: ElementNode | undefined): string[] {
  const found: Candidate[] = [];
  let looked = 0;
  for (const element of tree.elements) {
    const strength = strengthOf(element);
    if (strength === 0) continue;
    if (looked++ >= CANDIDATES_MAX) break;
    if (standsApart(element, tree, heading) || isTestimonial(element, tree, heading)) continue;
    const names = readPeople(innerText(element, SEEN_CHARS_MAX));
    if (names.length === 0) continue;
    const distance = heading === undefined ? 0 : element.first - heading.end;
    const away = Math.min(distance < 0 ? -2 * distance : distance, 60);
    found.push({ element, names, kind: kindOf(element), cost: away - 4 * strength });
  }
  const [best] = found.toSorted((a, b) => a.cost - b.cost);
  if (best === undefined) return writtenPeople(tree, heading);
  return distinct(found.filter((other) => isBeside(other, best)).flatMap(({ names }) => names));
}

const AFTER = 10;
const LINE_CHARS_MAX = 90;

/** Names in a short line below the heading that begins with the word for it: `By Ann Lee`. */
function writtenPeople(tree: Tree, heading: ElementNode | undefined): string[] {
  if (heading === undefined) return [];
  for (const { text, element } of tree.blocks.slice(heading.end, heading.end + AFTER)) {
    if (text.length > LINE_CHARS_MAX || !isByline(text) || standsApart(element, tree, heading)) continue;
    const names = readPeople(text);
    if (names.length > 0) return names;
  }
  return [];
}

function strengthOf(element: ElementNode): number {
  const isNamed =
    (element.groups & META) !== 0 || element.classNames?.words.some((word) => WRITERS.has(word));
  if (isNamed !== true && element.tag !== 'a') return 0;
  const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`;
  if (names.length > 300 || NOT_NAMED.test(names)) return 0;
  if (/(^|\s)author(\s|$)/.test(attributeOf(element, 'rel') ?? '')) return 3;
  if (/(^|\s)(author|creator)(\s|$)/.test(attributeOf(element, 'itemprop') ?? '')) return 3;
  return NAMED.test(names) ? 2 : 0;
}

const kindOf = (element: ElementNode): string =>
  `${element.tag} ${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'itemprop') ?? ''}`;

/** Whether another name is listed with the best one: the same kind of element, in the same list. */
function isBeside(other: Candidate, best: Candidate): boolean {
  if (other === best) return true;
  if (other.kind !== best.kind) return false;
  const near = [best.element.parent, best.element.parent?.parent];
  return near.includes(other.element.parent) || near.includes(other.element.parent?.parent);
}
