import { expect, test } from 'vitest';
import type { ResearchSource } from './state.ts';
import { createSiblings } from './siblings.ts';

/** Which lines of a page are said to be about something else. */
function others(query: string, lines: string[]): string[] {
  const text = lines.join('\n');
  const source = { id: 'src-1', title: 'A page', text } as ResearchSource;
  const all = lines.map((line) => {
    const said = line.replace(/^- /, '');
    return { sentence: { text: said, start: text.indexOf(said) }, heading: '', source };
  });
  const isSibling = createSiblings(query, all);
  return all.filter((one) => isSibling(one)).map(({ sentence }) => sentence.text);
}

const LEVY = 'What does the levy in Port Valmer cost, and who is exempt?';

test('another place of a list is something else, and a line that says what is asked for is not', () => {
  const lines = ['- Anse Rouge: 300 euros', '- Port Valmer: 480 euros', '- Exempt: 900 main homes'];
  expect(others(LEVY, lines)).toEqual(['Anse Rouge: 300 euros']);
});

test('only lines of a list are compared, not sentences with a colon', () => {
  const lines = ['Port Valmer: the council met on Monday.', 'The mayor said: it costs 480 euros a year.'];
  expect(others(LEVY, lines)).toEqual([]);
});

test('a name is a whole word', () => {
  const lines = ['- Reunion: 300 francs', '- Anse Rouge: 480 francs'];
  expect(others('What does the levy cost in the EU?', lines)).toEqual([]);
});

test('other numbers of a series are something else, years, days and counts are not', () => {
  const lines = ['HALCYON-3 was stopped.', 'HALCYON-2 had 240 patients.', 'HALCYON-2 led to HALCYON-3.'];
  expect(others('Why was HALCYON-3 stopped?', lines)).toEqual(['HALCYON-2 had 240 patients.']);
  const counts = ['In 20 years the sea will rise.', 'In 10 years the wall will be too low.'];
  expect(others('In 20 years, will the wall hold?', counts)).toEqual([]);
  expect(others('What happened on March 3?', ['On March 3 it rained.', 'It snowed on March 5.'])).toEqual([]);
});
