import { warned } from '../../core/own-text.ts';
import { decodeText } from '../parse/attributes.ts';
import type { PageHead } from '../parse/head.ts';
import { type Json, parseJson } from '../parse/linked-data.ts';
import { buildTree } from '../parse/tree.ts';
import { hiddenText } from './hidden-text.ts';
import type { Pass, PassPage } from './pass.ts';
import { unseenText } from './unseen-text.ts';

/** Names of fields with the text of a page in embedded data. */
const TEXT_FIELDS =
  /^(articleBody|reviewBody|text|body|bodyHtml|body_html|content|contentHtml|content_html|html|cooked|rendered|description|markdown|selftext|post_text|message|answer|acceptedAnswer|longDescription|productDescription|storyHTML)$/i;
const WORDS_MIN = 25;
const NODES_MAX = 60_000;
const NESTED_CHARS_MAX = 2_000_000;

const BELOW_WORDS = 40;
const EMBEDDED_WORDS_MIN = 30;

/**
 * Replaces a page that shows next to nothing by the text in its data: JSON-LD, or the state that its scripts would have
 * drawn (`__NEXT_DATA__`, preloaded posts of Discourse and others).
 */
export const embeddedData = {
  name: 'embedded-data',
  why: 'The page shows next to no text, and its data has some.',
  madeFor: 'pages that a script draws',
  run: useEmbeddedData,
} satisfies Pass;

function useEmbeddedData(page: PassPage): void {
  page.words = page.survey.measures.reduce(
    (sum, { words }, at) => sum + (page.keep[at] === 1 ? words : 0),
    0,
  );
  if (page.words >= BELOW_WORDS) return;
  const html = findText(page.tree.head, Math.max(EMBEDDED_WORDS_MIN, 1.3 * page.words));
  if (html === undefined) return;
  page.tree = buildTree(html);
  page.keep = new Uint8Array(page.tree.blocks.length).fill(1);
  page.words = EMBEDDED_WORDS_MIN;
  page.warnings.push(warned`rescued: the text comes from data embedded in the page, because it shows none`);
  hiddenText.run(page);
  unseenText.run(page);
}

/** The longest text in the data of a page as HTML, or undefined if none has at least `wordsMin` words. */
function findText(head: PageHead, wordsMin: number): string | undefined {
  for (const texts of [head.linkedData, head.states.map((state) => state.text)]) {
    const found = new Map<string, Set<string>>();
    for (const text of texts) {
      const data = parseLoose(text);
      if (data !== undefined) collectTexts(data, found);
    }
    const best = largest(found);
    if (best !== undefined && countWords(best.join(' ')) >= wordsMin) return best.map(toHtml).join('\n');
  }
  return undefined;
}

/** JSON, or the JSON at the beginning of a script. */
function parseLoose(text: string): Json | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return end < 0 ? undefined : parseJson(text.slice(0, end + 1));
}

interface Field {
  name: string;
  value: Json;
}

function collectTexts(data: Json, found: Map<string, Set<string>>): void {
  const queue: Field[] = [{ name: '', value: data }];
  for (let index = 0; index < queue.length && index < NODES_MAX; index++) {
    const field = queue[index] as Field;
    if (typeof field.value === 'string') collectText(field.name, field.value, queue, found);
    else if (typeof field.value === 'object' && field.value !== null)
      addFields(field.name, field.value, queue);
  }
}

/** Items of a list go by the name of the list. */
function addFields(name: string, value: Json[] | { [name: string]: Json }, queue: Field[]): void {
  for (const [field, inner] of Object.entries(value)) {
    if (queue.length >= NODES_MAX) return;
    if (typeof inner !== 'string' && typeof inner !== 'object') continue;
    queue.push({ name: Array.isArray(value) ? name : field, value: inner });
  }
}

function collectText(name: string, value: string, queue: Field[], found: Map<string, Set<string>>): void {
  // Discourse and others keep JSON inside strings of JSON.
  if (/^\s*[{[]/.test(value) && value.length < NESTED_CHARS_MAX) {
    const nested = parseJson(value);
    if (nested !== undefined && typeof nested === 'object') queue.push({ name, value: nested });
    return;
  }
  if (!TEXT_FIELDS.test(name) || countWords(value) < WORDS_MIN) return;
  const texts = found.get(name) ?? new Set();
  texts.add(value);
  found.set(name, texts);
}

function largest(found: Map<string, Set<string>>): string[] | undefined {
  let best: string[] | undefined;
  let most = 0;
  for (const texts of found.values()) {
    const list = [...texts];
    const words = list.reduce((sum, text) => sum + countWords(text), 0);
    if (words > most) {
      most = words;
      best = list;
    }
  }
  return best;
}

const countWords = (text: string): number =>
  text
    .replace(/<[^>]{0,500}>/g, ' ')
    .split(/\s+/)
    .filter(isWord).length;
const isWord = (word: string): boolean => /[\p{L}]/u.test(word);

/** Text that is not HTML becomes paragraphs; escaped HTML is unescaped first. */
function toHtml(text: string): string {
  const plain = /&lt;\/?[a-z]/i.test(text) ? decodeText(text) : text;
  if (/<(p|br|div|li|h\d|a|strong|em|ul|span)[\s>/]/i.test(plain)) return `<div>${plain}</div>`;
  return plain
    .split(/\n+/)
    .map((line) => `<p>${line.replace(/</g, '&lt;')}</p>`)
    .join('');
}
