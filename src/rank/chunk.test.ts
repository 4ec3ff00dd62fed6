import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkText } from './chunk.ts';

const markdownLike = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# Title',
        '## Part',
        '### Detail',
        '```ts',
        '```',
        '| a | b |',
        '| --- | --- |',
        '- item',
        '',
        '  ',
      ),
      fc.lorem({ mode: 'sentences', maxCount: 8 }),
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('梅雨は雨の多い期間です。', '😀'.repeat(30), 'x'.repeat(90)),
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.join('\n'));

describe('chunkText', () => {
  test('every passage stands in the content at its offsets, in order, and fits', () => {
    fc.assert(
      fc.property(markdownLike, fc.integer({ min: 10, max: 120 }), (content, charsMax) => {
        let end = 0;
        for (const chunk of chunkText(content, { charsMax })) {
          expect(content.slice(chunk.start, chunk.end)).toBe(chunk.text);
          expect(chunk.text.length).toBeLessThanOrEqual(charsMax);
          expect(chunk.start).toBeGreaterThanOrEqual(end);
          expect(chunk.text.trim()).not.toBe('');
          end = chunk.end;
        }
      }),
    );
  });

  test('only blanks are between passages: nothing is lost', () => {
    fc.assert(
      fc.property(markdownLike, fc.constantFrom('markdown' as const, 'text' as const), (content, format) => {
        let rest = '';
        let place = 0;
        for (const chunk of chunkText(content, { charsMax: 60, format })) {
          rest += content.slice(place, chunk.start);
          place = chunk.end;
        }
        expect((rest + content.slice(place)).trim()).toBe('');
      }),
    );
  });

  test('a passage never ends inside a surrogate pair', () => {
    const chunks = chunkText('😀'.repeat(400), { charsMax: 101 });
    expect(chunks.length).toBeGreaterThan(7);
    for (const { text } of chunks) expect(Buffer.from(text).toString()).toBe(text);
  });

  test('a heading begins a passage, which knows the path to it', () => {
    const content = '# Guide\n\n## Install\n\nRun npm.\n\n## Use\n\nCall it.\n\n### Deep\n\nMore.\n';
    expect(chunkText(content).map(({ text, headings }) => [text, headings])).toEqual([
      ['# Guide\n\n## Install\n\nRun npm.', ['Guide', 'Install']],
      ['## Use\n\nCall it.', ['Guide', 'Use']],
      ['### Deep\n\nMore.', ['Guide', 'Use', 'Deep']],
    ]);
  });

  test('a code block that fits is not cut, and a # in it is no heading', () => {
    const code = '```sh\n# not a heading\nnpm install\n\nnpm start\n```';
    const chunks = chunkText(`${'Words come first. '.repeat(5)}\n\n${code}\n\nAfter.`, { charsMax: 100 });
    expect(chunks.map(({ text }) => text)).toContain(`${code}\n\nAfter.`);
    expect(chunks.every(({ headings }) => headings === undefined)).toBe(true);
  });

  test('a long table is cut between rows', () => {
    const rows = Array.from({ length: 30 }, (_, at) => `| row ${at} | ${'cell '.repeat(4)}|`);
    for (const { text } of chunkText(rows.join('\n'), { charsMax: 100 })) {
      for (const line of text.split('\n')) expect(rows).toContain(line);
    }
  });

  test('the head of a table that is cut is not left alone', () => {
    const rows = Array.from({ length: 9 }, (_, at) => `| row ${at} | ${'cell '.repeat(4)}|`);
    const table = ['| Name | Value |', '| --- | --- |', ...rows].join('\n');
    for (const before of [10, 40, 70, 95]) {
      const chunks = chunkText(`${'a'.repeat(before)}\n\n${table}`, { charsMax: 100 });
      expect(chunks.find(({ text }) => text.includes('---'))?.text).toContain(rows[0]);
    }
    const long = chunkText(`| Name | Value |\n| --- | --- |\n| a | ${'long cell '.repeat(20)}|`, {
      charsMax: 100,
    });
    expect(long[0]?.text).toContain('| a | long cell');
  });

  test('a long paragraph is cut between sentences, in Japanese too', () => {
    const english = chunkText('One sentence is here. '.repeat(40), { charsMax: 200 });
    for (const { text } of english) expect(text).toMatch(/here\.$/);
    const japanese = chunkText('梅雨は雨の多い期間のことである。'.repeat(40), { charsMax: 200 });
    for (const { text } of japanese) expect(text).toMatch(/。$/);
  });

  test('plain text has no headings and no code', () => {
    expect(chunkText('# not a heading', { format: 'text' })[0]?.headings).toBeUndefined();
  });

  test('F50: five megabytes of one line are cut in time', () => {
    const started = performance.now();
    expect(chunkText('word '.repeat(1_000_000)).length).toBeGreaterThan(9_000);
    expect(chunkText(`${'a. '.repeat(100_000)}${' '.repeat(2_000_000)}`).length).toBeGreaterThan(500);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
