import { decodeText } from './parse/entities.ts';
import type { PageHead } from './parse/head.ts';
import { type Json, parseJson } from './linked-data.ts';

/** Fields that hold a page's own text in the data that its scripts read. */
const TEXT_FIELDS =
  /^(articleBody|reviewBody|text|body|bodyHtml|body_html|content|contentHtml|content_html|html|cooked|rendered|description|markdown|selftext|post_text|message|answer|acceptedAnswer|longDescription|productDescription|storyHTML)$/i;
const WORDS_MIN = 25;
const NODES_MAX = 60_000;
const NESTED_CHARS_MAX = 2_000_000;

/**
 * The text of a page that shows none: from JSON-LD, then from the state that its scripts were to draw (`__NEXT_DATA__`, Discourse's preloaded posts and
 * their like). HTML, or undefined when there is nothing of at least `wordsMin` words.
 */
export function rescueHtml(head: PageHead, wordsMin: number): string | undefined {
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
