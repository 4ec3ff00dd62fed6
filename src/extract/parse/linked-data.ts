import type { PageHead } from './head.ts';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

const NODES_MAX = 5_000;

/** The parsed JSON-LD of each page, so that it is parsed once. */
const parsed = new WeakMap<PageHead, readonly JsonObject[]>();

/** All objects in the JSON-LD of a page, outermost first. Invalid JSON is ignored. */
export function linkedObjects(head: PageHead): readonly JsonObject[] {
  const known = parsed.get(head) ?? parseLinkedData(head);
  parsed.set(head, known);
  return known;
}

function parseLinkedData(head: PageHead): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (const text of head.linkedData) {
    const data = parseJson(text);
    if (data !== undefined) collectObjects(data, found);
  }
  return found;
}

/** Parses JSON leniently: comments around it, control characters, trailing commas and semicolons. */
export function parseJson(text: string): Json | undefined {
  const trimmed = text
    .trim()
    .replace(/^(<!--|(\/\/ ?)?<!\[CDATA\[|\/\*<!\[CDATA\[\*\/)/, '')
    .replace(/(-->|(\/\/ ?)?\]\]>|\/\*\]\]>\*\/)$/, '');
  const clean = trimmed.replace(/[\u0000-\u001F]+/g, ' ');
  return tryParse(trimmed) ?? tryParse(clean) ?? parseMended(clean);
}

function parseMended(text: string): Json | undefined {
  const mended = text
    .trimEnd()
    .replace(/;$/, '')
    .replace(/,(\s*[}\]])/g, '$1');
  return mended.length === text.length ? undefined : tryParse(mended);
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON: an expected absence.
    return undefined;
  }
}

function collectObjects(data: Json, found: JsonObject[]): void {
  const queue: Json[] = [data];
  for (let index = 0; index < queue.length && index < NODES_MAX; index++) {
    const value = queue[index];
    if (Array.isArray(value)) queue.push(...value.slice(0, NODES_MAX));
    else if (typeof value === 'object' && value !== null) {
      found.push(value);
      queue.push(
        ...Object.values(value)
          .slice(0, NODES_MAX)
          .filter((inner) => typeof inner === 'object'),
      );
    }
  }
}

/** The types of an object, without their namespace. */
export function typesOf(object: JsonObject): string[] {
  const type = object['@type'];
  const list = Array.isArray(type) ? type : [type];
  return list.filter((name) => typeof name === 'string').map((name) => name.replace(/^.*[/#:]/, ''));
}

/** A text field, also inside an array or an object with a name. */
export function textField(object: JsonObject, name: string): string | undefined {
  return textIn(object[name]);
}

function textIn(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (Array.isArray(value)) {
    const names = value.map((item) => textIn(item)).filter((item) => item !== undefined);
    return names.length === 0 ? undefined : [...new Set(names)].slice(0, 10).join(', ');
  }
  if (typeof value === 'object' && value !== null) return textIn(value.name ?? value.url ?? value['@value']);
  return undefined;
}
