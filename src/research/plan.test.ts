import { describe, expect, test } from 'vitest';
import { coreOf, planSubQueries } from './plan.ts';

const plan = (
  query: string,
  mode: 'general' | 'academic' | 'technical' = 'general',
  count = 6,
  texts: string[] = [],
) =>
  planSubQueries(
    query,
    mode,
    texts.map((text) => ({ title: '', text })),
    count,
  ).map((one) => one.query);

describe('a plan without a model', () => {
  test('begins with the question, then its parts, then sides of it', () => {
    expect(plan('When was the Aldana canal built and why does it leak?')).toEqual([
      'When was the Aldana canal built and why does it leak?',
      'When was the Aldana canal built',
      'why does the Aldana canal leak?',
      'Aldana canal built leak facts statistics',
      'Aldana canal built leak history background',
      'Aldana canal built leak problems criticism',
    ]);
  });

  test.each([
    [
      'When was the Aldana canal built and how much water does the canal lose?',
      'how much water does the Aldana canal lose?',
    ],
    ['What did the Selby hoard hold, and was it sold?', 'was the Selby hoard sold?'],
    ['Who is Marta Ribero and where was she born?', 'where was Marta Ribero born?'],
    ['Who found the Selby hoard, when was it found and what was in it?', 'when was the Selby hoard found'],
    ['What is Rust? How is memory managed?', 'Rust How is memory managed?'],
    ['Warum schloss die Mühle in Tollan, und was wurde aus den Webern?', 'was wurde aus den Webern?'],
    ['¿Por qué cerró el molino de Tollan y qué fue de sus tejedores?', 'Tollan qué fue de sus tejedores?'],
    [
      'Pourquoi le moulin de Tollan a-t-il fermé, et combien de tisserands y travaillaient ?',
      'Tollan combien de tisserands y travaillaient ?',
    ],
  ])('a part keeps the subject of the whole: %s', (query, part) => {
    expect(plan(query)).toContain(part);
  });

  test('both sides of a comparison are asked about', () => {
    expect(plan('PostgreSQL vs SQLite')).toEqual(expect.arrayContaining(['PostgreSQL', 'SQLite']));
  });

  test('modes look at a question from different sides', () => {
    expect(plan('raft consensus', 'technical')).toContain('raft consensus performance benchmark');
    expect(plan('raft consensus', 'academic')).toContain('raft consensus systematic review');
  });

  test('names that several of the first results share get a question of their own', () => {
    const texts = ['It was planned by Marta Ribero.', 'The diary of Marta Ribero says so.', 'Nobody else.'];
    expect(plan('the canal of the valley', 'general', 4, texts)).toContain(
      'the canal of the valley Marta Ribero',
    );
  });

  test('months and days of the week are no names', () => {
    const texts = ['It was closed in April, on a Tuesday.', 'In the April of that year, on the Tuesday.'];
    expect(plan('the canal of the valley', 'general', 8, texts).join(' ')).not.toMatch(/April|Tuesday/);
  });

  test('a name is one name with and without its article', () => {
    const texts = ['The Valley Water Board said so.', 'It is run by the Valley Water Board.'];
    const names = plan('the canal of the region', 'general', 8, [...texts, ...texts]).filter((query) =>
      query.includes('Board'),
    );
    expect(names).toEqual(['the canal of the region Valley Water Board']);
  });

  test('a question in another script is not mixed with English words', () => {
    const plans = plan('運河はいつ建設されましたか', 'general', 6, [
      'アルダナ水門の歴史',
      'アルダナ水門の構造',
    ]);
    expect(plans.every((query) => !/[a-z]/.test(query))).toBe(true);
    expect(plans.length).toBeGreaterThan(1);
  });

  test('there are never more questions than asked for, and none twice', () => {
    const plans = plan('x y', 'general', 20);
    expect(plans.length).toBeLessThanOrEqual(20);
    expect(new Set(plans).size).toBe(plans.length);
  });

  test('the core of a question is what it is about', () => {
    expect(coreOf('What is the capital of France?')).toBe('capital of France');
  });
});
