import { expect, test } from 'vitest';
import { read } from '../evidence/reading.ts';
import { chanceOf, createMerit } from './merit.ts';

interface Place {
  publishedDate?: string;
  /** What the page has before and after it. */
  before?: string;
  after?: string;
  heading?: string;
  fit?: number;
}

const BEGINNING = 'The page begins with a sentence that says little. ';

/** The chance of a sentence on a page of its own among others of the same match. */
function chance(
  query: string,
  text: string,
  { publishedDate = '2026-11-01', before = BEGINNING, after = '', heading = '', fit = 0 }: Place = {},
): number {
  const toSentence = (said: string, date: string) => ({
    sentence: { text: said, start: before.length },
    heading,
    source: { text: before + said + after, textKind: 'content' as const, publishedDate: date },
    score: 0.5,
    fit,
    isFirst: before === '',
  });
  const one = toSentence(text, publishedDate);
  const others = ['2026-11-05', '2026-10-20', '2026-10-02'].map((date) =>
    toSentence('The county spent 40 million crowns on the bridge in 2026.', date),
  );
  const merit = createMerit(query, [one, ...others], 1);
  return chanceOf(merit.of(one) + merit.added(one, read(text)));
}

const WHY = 'Why is the bridge of Tollan closed, and when does it open?';

test.each([
  [
    'what a thing is',
    WHY,
    'The Tollan Bridge is a bridge that carries the road over the river Varrow to the port.',
    'The bridge carries no more lorries since engineers saw that the river had washed its piers out.',
  ],
  [
    'what was long before',
    WHY,
    'The county closed the bridge for repairs of its deck between April and October 1986.',
    'The county closed the bridge for repairs of its deck between April and October 2026.',
  ],
  [
    'what somebody is quoted with',
    WHY,
    '“It is hard for all of us who have a shop at the bridge,” said a baker of the town.',
    'It is hard for all those who have a shop at the bridge, of which the town has ten now.',
  ],
  [
    'a figure of a comparison without a name',
    'Brisa 40 or Nordal Dry 12: which dehumidifier is quieter?',
    'It reached 39 decibels at one metre on the normal setting in the test of this autumn.',
    'The Brisa reached 39 decibels at one metre on the normal setting in the test of autumn.',
  ],
])('%s counts less', (_, query, less, more) => {
  expect(chance(query, less)).toBeLessThan(chance(query, more) - 0.1);
});

test('what an older page expected for a day that has passed counts less than what it expects for later', () => {
  const expected = (day: string): number =>
    chance(WHY, `The bridge should be open again for cars and lorries from ${day} at the latest.`, {
      publishedDate: '2026-03-01',
    });
  expect(expected('1 May 2026')).toBeLessThan(expected('1 May 2027') - 0.1);
});

test('a denial, a date and a line of a list count more', () => {
  const plain = chance(WHY, 'The bridge is open to people on foot, but the lane for bicycles is narrow now.');
  expect(
    chance(WHY, 'The bridge is not open to people on foot, and no bicycles can cross it now.'),
  ).toBeGreaterThan(plain);
  expect(
    chance(WHY, 'The bridge is open to people on foot, but since 4 May 2026 the lane is narrow.'),
  ).toBeGreaterThan(plain);
});

const CLOSED =
  'The bridge carries no more lorries since engineers saw that the river had washed its piers out.';
const SECTION = '\n\n## The closure\n\nThe engineers came in May.';

test.each<[string, Place, Place]>([
  ['the first sentence of a page', { before: '' }, {}],
  [
    'what stands before the first heading of a page',
    { after: SECTION },
    { after: SECTION.replace('## ', '') },
  ],
  ['what stands at the end of a page', { before: BEGINNING.repeat(6) }, {}],
  ['what stands under the history of a thing', { heading: 'History' }, { heading: 'The closure' }],
  ['what stands under its history, in Japanese', { heading: '歴史' }, { heading: '原因' }],
])('%s counts less', (_, less, more) => {
  expect(chance(WHY, CLOSED, less)).toBeLessThan(chance(WHY, CLOSED, more) - 0.05);
});

test('what answers a part of the question may be the first sentence of a page, or stand under its history', () => {
  expect(chance(WHY, CLOSED, { before: '', heading: 'History', fit: 1 })).toBeGreaterThan(
    chance(WHY, CLOSED),
  );
});

test('where it is asked what a thing is, the first sentence of a page counts as much as others', () => {
  const WHAT = 'What is the bridge of Tollan?';
  expect(chance(WHAT, CLOSED, { before: '' })).toBe(chance(WHAT, CLOSED));
});

test('what a question asks for may stand under a heading of that name', () => {
  const history = 'History of the bridge of Tollan';
  expect(chance(history, CLOSED, { heading: 'History' })).toBe(chance(history, CLOSED));
  expect(chance(history, CLOSED, { heading: '**2. Methods**' })).toBeLessThan(chance(history, CLOSED));
});
