import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';

const url = 'https://example.org/contact';
/** As Cloudflare writes it. */
const hidden = (address: string, key = 0x5a): string =>
  Buffer.from([key, ...Buffer.from(address).map((byte) => byte ^ key)]).toString('hex');
const span = (hex: string): string =>
  `<span class="__cf_email__" data-cfemail="${hex}">[email&#160;protected]</span>`;
const link = (hex: string, text: string): string =>
  `<a href="/cdn-cgi/l/email-protection#${hex}">${text}</a>`;

const ADDRESS = 'ada@example.org';
const PROTECTION = 'https://example.org/cdn-cgi/l/email-protection';
const CASES: [string, string, string][] = [
  ['a word', span(hidden(ADDRESS)), ADDRESS],
  [
    'a link',
    `<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${hidden(ADDRESS)}">[email&#160;protected]</a>`,
    `[${ADDRESS}](mailto:${ADDRESS})`,
  ],
  ['a link around a word', link(hidden(ADDRESS), span(hidden(ADDRESS))), `[${ADDRESS}](mailto:${ADDRESS})`],
  ['a link with words of its own', link(hidden(ADDRESS), 'Write to us'), `[Write to us](mailto:${ADDRESS})`],
  [
    'a link that knows the subject',
    link(hidden(`${ADDRESS}?subject=Hello%20you`), 'Write'),
    `[Write](mailto:${ADDRESS}?subject=Hello%20you)`,
  ],
  ['letters of other languages', span(hidden('jürgen@exämple.de')), 'jürgen@exämple.de'],
  ['another key', span(hidden(ADDRESS, 0xff)), ADDRESS],
  ['hex of an odd length', span(hidden(ADDRESS).slice(1)), '\\[email protected\\]'],
  ['no hex', span('zz'), '\\[email protected\\]'],
  ['nothing', span(''), '\\[email protected\\]'],
  ['only a key', span('5a'), '\\[email protected\\]'],
  ['what is no address', span(hidden('javascript:alert(1)')), '\\[email protected\\]'],
  ['markup', span(hidden('<img src=x>@example.org')), '\\[email protected\\]'],
  ['far too much', span(hidden(`${'a'.repeat(5_000)}@example.org`)), '\\[email protected\\]'],
  ['a link that tells nothing', link('', 'Write'), `[Write](${PROTECTION}#)`],
  [
    'a link to what is no address',
    link(hidden('nobody'), 'Write'),
    `[Write](${PROTECTION}#${hidden('nobody')})`,
  ],
  ['other text', `<span data-cfemail="${hidden(ADDRESS)}">Ada</span>`, 'Ada'],
];

describe('an address that Cloudflare hides from robots', () => {
  test.each(CASES)('as %s', (_, html, expected) => {
    expect(htmlToMarkdown(`<p>${html}</p>`, { url })).toBe(expected);
  });

  test('is in the text as well', () => {
    const words =
      'The mill in the valley can be visited on every day of the week, and somebody will show you around. ';
    const html = `<article><p>${words}Write to ${span(hidden(ADDRESS))} first. ${words}</p></article>`;
    expect(extractHtml(html, { url }).text).toContain(`Write to ${ADDRESS} first.`);
  });
});
