import { describe, expect, test } from 'vitest';
import { parseRobots } from './robots.ts';
import { pageUsage, parseReservations, refusingSignal, type Usage } from './usage.ts';

/** What the drafts and their implementers show, and what is meant by it. */
const PAGES: [name: string, headers: Record<string, string>, html: string, usage: Usage | undefined][] = [
  ['nothing', {}, '<p>mill</p>', undefined],
  ['Content-Usage', { 'content-usage': 'train-ai=n' }, '', { 'train-ai': 'no' }],
  ['several wishes', { 'content-usage': 'train-ai=n, search=y' }, '', { 'train-ai': 'no', search: 'yes' }],
  ['Content-Signal as a header', { 'content-signal': 'ai-input=no' }, '', { 'ai-input': 'no' }],
  ['parameters', { 'content-usage': 'train-ai=n;q="a"' }, '', { 'train-ai': 'no' }],
  ['unknown words', { 'content-usage': 'exampleai=n, train-ai=maybe' }, '', undefined],
  ['TDM-Reservation', { 'tdm-reservation': '1' }, '', { tdm: 'no' }],
  ['no reservation', { 'tdm-reservation': '0' }, '', undefined],
  ['noai', { 'x-robots-tag': 'noindex, noai, noimageai' }, '', { ai: 'no' }],
  ['noai for one crawler', { 'x-robots-tag': 'somebot: noai' }, '', { ai: 'no' }],
  ['another word', { 'x-robots-tag': 'noaid' }, '', undefined],
  ['meta robots', {}, '<meta name="robots" content="index, noai">', { ai: 'no' }],
  ['meta, the other way round', {}, `<META content='noai' NAME=robots>`, { ai: 'no' }],
  ['meta tdm-reservation', {}, '<meta name="tdm-reservation" content="1">', { tdm: 'no' }],
  [
    'a no stands',
    { 'content-usage': 'ai-input=y', 'content-signal': 'ai-input=no' },
    '',
    { 'ai-input': 'no' },
  ],
];

const ROBOTS: [name: string, text: string, usage: Usage | undefined][] = [
  [
    'Content-Signal',
    'User-agent: *\nContent-Signal: search=yes, ai-input=no, ai-train=no\nAllow: /',
    { search: 'yes', 'ai-input': 'no', 'ai-train': 'no' },
  ],
  ['Content-Usage', 'User-Agent: *\nContent-Usage: train-ai=n', { 'train-ai': 'no' }],
  ['Content-Usage of the whole site', 'User-Agent: *\nContent-Usage: / train-ai=n', { 'train-ai': 'no' }],
  ['Content-Usage of a part', 'User-Agent: *\nContent-Usage: /news/ train-ai=n', { 'train-ai': 'no' }],
  ['Content-Usage of another part', 'User-Agent: *\nContent-Usage: /shop/ train-ai=n', undefined],
  [
    'Content-Usage of the longest path',
    'User-Agent: *\nContent-Usage: / ai=n, train-ai=n\nContent-Usage: /news/* train-ai=y',
    { 'train-ai': 'yes' },
  ],
  [
    'the group that names us',
    'User-agent: *\nContent-Signal: ai-input=no\n\nUser-agent: headgate\nContent-Signal: ai-input=yes',
    { 'ai-input': 'yes' },
  ],
  ['another group', 'User-agent: other\nContent-Signal: ai-input=no', undefined],
];

describe('what a site says about the use of its content', () => {
  test.each(PAGES)('%s', (_name, headers, html, usage) => {
    expect(pageUsage(headers, Buffer.from(html))).toEqual(usage);
  });
  test.each(ROBOTS)('robots.txt: %s', (_name, text, usage) => {
    expect(parseRobots(text, 'Headgate/1.0').usageOf('/news/a')).toEqual(usage);
  });
  test('tdmrep.json: paths that are reserved', () => {
    const rule = (location: unknown, reserved: unknown) => ({ location, 'tdm-reservation': reserved });
    expect(
      parseReservations(
        JSON.stringify([rule('/a/*', 1), rule('/a/b', '0'), rule('a', 1), rule(1, 1), null, rule('/c', 2)]),
      ),
    ).toEqual([
      { pattern: '/a/*', usage: { tdm: 'no' } },
      { pattern: '/a/b', usage: { tdm: 'yes' } },
    ]);
    for (const text of ['', '{', '{}', 'null', '7']) expect(parseReservations(text)).toEqual([]);
  });
  test('refuses reading, and not only training', () => {
    const refusing = ['ai-input', 'ai', 'bots', 'automation', 'tdm'];
    for (const word of ['search', 'ai-train', 'train-ai', ...refusing])
      expect([word, refusingSignal({ [word]: 'no' })]).toEqual([
        word,
        refusing.includes(word) ? word : undefined,
      ]);
    expect(refusingSignal({ 'ai-input': 'yes' })).toBeUndefined();
  });
});
