import { Parser } from 'htmlparser2';
import { warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { oneLine } from '../core/text.ts';
import type { Extracted } from './extracted.ts';
import { htmlToMarkdown } from './html.ts';
import { readDate } from './metadata/read-date.ts';
import { plainExtracted } from './page-result.ts';
import { resolve } from './write/writer-context.ts';

interface Entry {
  title: string;
  link: string;
  date: string;
  body: string;
}

const ENTRIES = new Set(['item', 'entry']);
const BODIES = ['content:encoded', 'content', 'description', 'summary'];

/** RSS or Atom as a list of entries: title with link, date, and the text each entry carries. */
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

function parseFeed(xml: string): { channel: { title: string; description: string }; entries: Entry[] } {
  const channel = { title: '', description: '' };
  const entries: Entry[] = [];
  let fields: Map<string, string> | undefined;
  let name = '';
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        name = tag.toLowerCase();
        if (ENTRIES.has(name)) fields = new Map();
        const isMain = attributes.rel === undefined || attributes.rel === 'alternate';
        if (name === 'link' && attributes.href !== undefined && isMain) fields?.set('link', attributes.href);
      },
      ontext: (text) => {
        if (fields !== undefined) fields.set(name, (fields.get(name) ?? '') + text);
        else if (name === 'title') channel.title += text;
        else if (name === 'description' || name === 'subtitle') channel.description += text;
      },
      onclosetag: (tag) => {
        name = '';
        if (!ENTRIES.has(tag.toLowerCase()) || fields === undefined) return;
        entries.push(toEntry(fields));
        fields = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return { channel, entries };
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
