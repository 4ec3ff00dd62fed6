import { readAttribute } from './attributes.ts';

/** Head tags and embedded data of a page, as found. */
export interface PageHead {
  title: string;
  language: string;
  base: string;
  metas: { name: string; content: string }[];
  links: { rel: string; href: string; type: string; sizes: string }[];
  /** JSON-LD texts. */
  linkedData: string[];
  /** Other JSON that scripts were to read: `__NEXT_DATA__` and its like. */
  states: { id: string; text: string }[];
  /** The programs; those in files of their own are empty. */
  scripts: string[];
}

const METAS_MAX = 300;
const NAME_CHARS_MAX = 200;
const SCRIPTS_MAX = 60;
const SCRIPT_CHARS_MAX = 2_000_000;

export const createHead = (): PageHead => ({
  title: '',
  language: '',
  base: '',
  metas: [],
  links: [],
  linkedData: [],
  states: [],
  scripts: [],
});

/** Notes a head tag. `content` is the raw text of `<title>` and `<script>`. */
export function readHeadTag(head: PageHead, tag: string, attributes: string[], content: string): void {
  if (tag === 'title') head.title ||= content;
  else if (tag === 'script') readScript(head, attributes, content);
  else if (tag === 'html') head.language ||= value(attributes, 'lang') || value(attributes, 'xml:lang');
  else if (tag === 'base') head.base ||= value(attributes, 'href');
  else if (tag === 'meta' && head.metas.length < METAS_MAX) readMeta(head, attributes);
  else if (tag === 'link' && head.links.length < METAS_MAX) {
    const [rel, href] = [value(attributes, 'rel').toLowerCase(), value(attributes, 'href')];
    const [type, sizes] = [value(attributes, 'type'), value(attributes, 'sizes')];
    if (href !== '') head.links.push({ rel, href, type, sizes });
  }
}

/** A tag may go by several names: `property` and `name` differ, and a property may list some. */
function readMeta(head: PageHead, attributes: string[]): void {
  const content = value(attributes, 'content');
  if (content === '') return;
  const said = `${value(attributes, 'property')} ${value(attributes, 'name') || value(attributes, 'itemprop')}`;
  const names = (said.trim() || value(attributes, 'http-equiv')).toLowerCase().slice(0, NAME_CHARS_MAX);
  for (const name of new Set(names.split(/\s+/))) if (name !== '') head.metas.push({ name, content });
}

function readScript(head: PageHead, attributes: string[], content: string): void {
  const type = value(attributes, 'type').toLowerCase();
  if (/^$|javascript|module/.test(type)) head.scripts.push(content);
  if (content.length > SCRIPT_CHARS_MAX) return;
  if (type.includes('ld+json')) {
    if (head.linkedData.length < SCRIPTS_MAX) head.linkedData.push(content);
    return;
  }
  if (head.states.length >= SCRIPTS_MAX) return;
  if (type === 'application/json') head.states.push({ id: value(attributes, 'id'), text: content });
  else if (type === '' || type.includes('javascript')) readAssignment(head, content);
}

/** `window.__STATE__ = {…}`: kept when the value looks like JSON. */
function readAssignment(head: PageHead, content: string): void {
  if (content.length < 200) return;
  const match = /^\s*(?:window\.|var |self\.)?([A-Za-z_$][\w$.]{2,60})\s*=\s*(?=[{["])/.exec(content);
  if (match !== null) head.states.push({ id: match[1] ?? '', text: content.slice(match[0].length) });
}

const value = (attributes: string[], name: string): string => readAttribute(attributes, name) ?? '';
