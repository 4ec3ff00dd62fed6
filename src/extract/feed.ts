import { warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { oneLine } from '../core/text.ts';
import { type Extracted, plainExtracted } from './extracted.ts';
import { htmlToMarkdown } from './html.ts';
import { readDate } from './metadata/read-date.ts';
import { readAttribute, decodeText } from './parse/attributes.ts';
import { scanHtml } from './parse/scan.ts';
import { resolve } from './write/writer-context.ts';

interface Entry {
  title: string;
  link: string;
  date: string;
  body: string;
}

const ENTRIES = new Set(['item', 'entry']);
const BODIES = ['content:encoded', 'content', 'description', 'summary'];

/** Reads RSS or Atom as a list of entries: linked title, date and text. */
export function extractFeed(xml: string, url: string | undefined): Extracted {
  const { channel, entries } = parseFeed(xml);
  const shown = entries.slice(0, LIMITS.feedEntriesMax);
  const parts = shown.map((entry) => {
    const link = resolve(entry.link, url);
    const title = oneLine(entry.title) || 'Untitled';
    const heading = link === undefined ? `## ${title}` : `## [${title.replace(/[[\]]/g, '\\$&')}](${link})`;
    const date = readDate(entry.date);
    const body = htmlToMarkdown(entry.body, { images: false, ...(url === undefined ? {} : { url }) });
    return {
      title,
      link,
      date,
      body,
      markdown: [heading, date, body].filter((part) => part !== undefined && part !== '').join('\n\n'),
    };
  });
  const text = parts
    .map((part) => [part.title, part.date, part.body].filter(Boolean).join('\n'))
    .join('\n\n');
  const found = plainExtracted(
    'feed',
    oneLine(channel.title),
    text,
    parts.map((part) => part.markdown).join('\n\n'),
  );
  const description = oneLine(channel.description);
  if (description !== '') found.description = description;
  found.links = parts.flatMap((part) =>
    part.link === undefined ? [] : [{ url: part.link, text: part.title }],
  );
  if (entries.length > shown.length)
    found.warnings.push(warned`truncated: ${shown.length} of ${entries.length} entries are shown`);
  return found;
}

interface Feed {
  channel: { title: string; description: string };
  entries: Entry[];
}

/** Reads a feed without building a tree: nesting costs nothing, and a field is the text directly after its tag. */
function parseFeed(xml: string): Feed {
  const feed: Feed = { channel: { title: '', description: '' }, entries: [] };
  let fields: Map<string, string> | undefined;
  let name = '';
  const addText = (text: string): void => {
    if (fields !== undefined) fields.set(name, (fields.get(name) ?? '') + text);
    else if (name === 'title') feed.channel.title += text;
    else if (name === 'description' || name === 'subtitle') feed.channel.description += text;
  };
  const end = (tag: string): void => {
    name = '';
    if (!ENTRIES.has(tag) || fields === undefined) return;
    feed.entries.push(toEntry(fields));
    fields = undefined;
  };
  scanHtml(withoutCdata(xml), {
    open: (tag, attributes, selfClosing) => {
      name = tag;
      if (ENTRIES.has(tag)) fields = new Map();
      const rel = readAttribute(attributes, 'rel') ?? 'alternate';
      const href = readAttribute(attributes, 'href');
      if (tag === 'link' && href !== undefined && rel === 'alternate') fields?.set('link', href);
      if (selfClosing) end(tag);
    },
    text: addText,
    // In HTML the content of a title is not markup, and neither are its character references.
    raw: (_, content) => addText(decodeText(content)),
    close: end,
  });
  end('entry');
  return feed;
}

/** Turns CDATA sections into escaped text, which is all the XML that a scanner of HTML does not know. */
function withoutCdata(xml: string): string {
  const [before = '', ...sections] = xml.split('<![CDATA[');
  const texts = sections.map((section) => {
    const stop = section.indexOf(']]>');
    const text = stop < 0 ? section : section.slice(0, stop);
    return `${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}${stop < 0 ? '' : section.slice(stop + 3)}`;
  });
  return [before, ...texts].join('');
}

function toEntry(fields: Map<string, string>): Entry {
  const first = (...names: string[]): string =>
    names.map((name) => fields.get(name)?.trim() ?? '').find((text) => text !== '') ?? '';
  return {
    title: first('title'),
    link: first('link', 'guid', 'id'),
    date: first('pubdate', 'published', 'updated', 'dc:date'),
    body: first(...BODIES),
  };
}
