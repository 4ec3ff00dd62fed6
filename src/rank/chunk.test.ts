import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkText } from './chunk.ts';
import { framed } from './frame.ts';
import { joinChunks } from './join.ts';
import { countCpu } from '../../tests/support/cpu-time.ts';
import { sized } from '../../tests/support/sized.ts';

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
          expect(framed(chunk).length).toBeLessThanOrEqual(charsMax);
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

  test('rows far below the head of their table have it, and the offsets are those of the rows alone', () => {
    const head = '| Name | Value |\n| --- | --- |';
    const rows = Array.from({ length: 40 }, (_, at) => `| row ${at} | ${'cell '.repeat(at % 7)}|`);
    const content = `Before it.\n\n${head}\n${rows.join('\n')}\n\nAfter it.`;
    const chunks = chunkText(content, { charsMax: 200 });
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) {
      expect(content.slice(chunk.start, chunk.end)).toBe(chunk.text);
      expect(framed(chunk).length).toBeLessThanOrEqual(200);
    }
    for (const chunk of chunks.filter(({ text }) => text.includes('| row')))
      expect(framed(chunk).split(head)).toHaveLength(2);
    expect(chunks.at(-1)?.opening).toBe(head);
  });

  test('a head that is long because of its links is put before the rows without them', () => {
    const link = (name: string) => `[${name}](https://example.org/${'path/'.repeat(12)}${name})`;
    const rows = Array.from({ length: 12 }, (_, at) => `| row ${at} | ${'cell '.repeat(20)}|`);
    const content = [`| ${link('Name')} | ${link('Value')} |`, '| --- | --- |', ...rows].join('\n');
    const chunks = chunkText(content, { charsMax: 400 });
    expect(chunks.at(-1)?.opening).toBe('| Name | Value |\n|-|-|');
  });

  test('rows of which nobody knows the head get none, and neither does the rest of a row', () => {
    const rows = Array.from({ length: 9 }, (_, at) => `| row ${at} | ${'cell '.repeat(10)}|`).join('\n');
    expect(chunkText(rows, { charsMax: 150 }).every(({ opening }) => opening === undefined)).toBe(true);
    const long = `| Name | Value |\n| --- | --- |\n| a | ${'long cell '.repeat(40)}|\n| b | c |`;
    const chunks = chunkText(long, { charsMax: 150 });
    const rests = chunks.filter(({ text }) => /^(?:long|cell)/.test(text));
    expect(rests.map(({ opening }) => opening)).toEqual([undefined, undefined]);
  });

  test('code that is cut is code with its language in every passage, and no fence is alone', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `    value_${at} = compute(${at})`);
    const content = `Before.\n\n\`\`\`python\n${lines.join('\n')}\n\`\`\`\n\nAfter.`;
    for (const charsMax of [90, 100, 120, 150, 333]) {
      const chunks = chunkText(content, { charsMax });
      const texts = chunks.map((chunk) => framed(chunk));
      for (const text of texts) {
        expect(text.length).toBeLessThanOrEqual(charsMax);
        expect(text).not.toMatch(/```python\n```|^```$/);
      }
      for (const text of texts.filter((one) => one.includes('value_')))
        expect(text).toMatch(/```python\n {4}value_[^`]*\n```/);
      expect(joinChunks(chunks)).toContain(`\`\`\`python\n${lines.join('\n')}\n\`\`\``);
    }
  });

  test('neighbours of one table are put together under one head, others have one each', () => {
    const head = '| Name | Value |\n| --- | --- |';
    const rows = Array.from({ length: 12 }, (_, at) => `| row ${at} | ${'cell '.repeat(8)}|`);
    const content = [head, ...rows].join('\n');
    const chunks = chunkText(content, { charsMax: 160 });
    expect(joinChunks(chunks)).toBe(content);
    const apart = joinChunks(chunks.filter((_, at) => at % 3 !== 1));
    expect(apart).toContain(`|\n\n [...] \n\n${head}\n| row`);
    expect(apart.split(head)).toHaveLength(apart.split('[...]').length + 1);
  });

  test('rows of plain text have their head, too', () => {
    const rows = Array.from({ length: 30 }, (_, at) => `row ${at}\tcell number ${at}. And more`);
    const chunks = chunkText(['Name\tValue', ...rows].join('\n'), { charsMax: 150, format: 'text' });
    expect(chunks.length).toBeGreaterThan(4);
    for (const chunk of chunks) expect(framed(chunk)).toMatch(/^Name\tValue\nrow \d/);
  });

  test('a heading has the beginning of its text with it, also where not all of it fits', () => {
    const text = 'One sentence is here. '.repeat(8).trim();
    const table = `| Name | Value |\n| --- | --- |\n${'| one | two |\n'.repeat(10)}`.trim();
    for (const below of [text, table]) {
      const chunks = chunkText(`${'Before. '.repeat(10)}\n\n## What is it?\n\n${below}`, { charsMax: 180 });
      expect(chunks.map((chunk) => chunk.text)).not.toContain('## What is it?');
      expect(chunks.at(-2)?.text).toMatch(/^## What is it\?\n\n(?:One sentence|\| Name)/);
    }
  });

  test.each([
    ['a title in bold', '**What is it?**', 'It is this and that. '.repeat(4).trim()],
    [
      'a sentence with a colon',
      'It is done like this:',
      '```\nlet a = 1;\nlet b = 2;\nlet c = a + b;\nlet d = c;\n```',
    ],
    ['a sentence with a colon, in Japanese', '次のように設定します：', '設定は一度だけ行います。'.repeat(7)],
    [
      'a label',
      'Memory',
      '| Size | 12 GB |\n| --- | --- |\n| Clock | 7,000 MHz |\n| Interface | 768 bit |\n| Type | five |',
    ],
    [
      'a term',
      'list.insert(*i*, *x*)',
      ': Insert an item at a given position, before the element that stands there now, whatever it is.',
    ],
  ])('%s goes with what it leads to', (_, lead, below) => {
    const chunks = chunkText(`${'Before it. '.repeat(8).trim()}\n\n${lead}\n\n${below}`, { charsMax: 125 });
    expect(chunks.map(({ text }) => text)).toEqual(['Before it. '.repeat(8).trim(), `${lead}\n\n${below}`]);
  });

  test('a sentence goes with nothing', () => {
    const chunks = chunkText(`${'a'.repeat(80)}\n\nIt is so.\n\n${'b'.repeat(60)}`, { charsMax: 100 });
    expect(chunks.map(({ text }) => text.length)).toEqual([91, 60]);
  });

  test('a passage below the beginning of its section has the heading of it, where there is room', () => {
    const day = (name: string, cost: number) =>
      `## ${name}\n\n${'Porridge and plums. '.repeat(7).trim()}\n\n**Snacks:**\n\n- 2 plums\n\n**Cost:** ${cost}`;
    const content = `${day('Monday', 3)}\n\n${day('Friday', 4)}`;
    const chunks = chunkText(content, { charsMax: 170 });
    expect(chunks.map(({ opening }) => opening)).toEqual([
      undefined,
      '## Monday\n',
      undefined,
      '## Friday\n',
    ]);
    expect(joinChunks(chunks.filter((_, at) => at % 2 === 1))).toBe(
      '## Monday\n\n**Snacks:**\n\n- 2 plums\n\n**Cost:** 3\n\n [...] \n\n## Friday\n\n**Snacks:**\n\n- 2 plums\n\n**Cost:** 4',
    );
    expect(joinChunks(chunks).match(/^## /gm)).toHaveLength(2);
    for (const chunk of chunks) expect(framed(chunk).length).toBeLessThanOrEqual(170);
  });

  test('a heading is told without links and emphasis', () => {
    const [chunk] = chunkText('## **Shelf**, [30 \\* 8](https://example.org/#a) `a_b` *now*\n\nText.');
    expect(chunk?.headings).toEqual(['Shelf, 30 * 8 `a_b` now']);
  });

  test('a row that is too long is cut between its cells, and the next row stands below the head again', () => {
    const head = '| Year | Physics | Peace |\n| --- | --- | --- |';
    const row = (year: number) => `| ${year} | ${'Ada Example; '.repeat(7)}| ${'Bo Sample; '.repeat(7)}|`;
    const chunks = chunkText([head, row(1964), row(1965), row(1966)].join('\n'), { charsMax: 170 });
    for (const year of [1964, 1965, 1966])
      expect(framed(chunks.find(({ text }) => text.includes(String(year))) ?? { text: '' })).toMatch(
        new RegExp(`^\\| Year \\| Physics \\| Peace \\|\\n\\|[-| ]+\\|\\n\\| ${year} \\| Ada [^|]*$`),
      );
    expect(chunks.filter(({ text }) => text.startsWith('| Bo Sample'))).toHaveLength(3);
  });

  test('a long paragraph is cut between sentences, in Japanese too', () => {
    const english = chunkText('One sentence is here. '.repeat(40), { charsMax: 200 });
    for (const { text } of english) expect(text).toMatch(/here\.$/);
    const japanese = chunkText('梅雨は雨の多い期間のことである。'.repeat(40), { charsMax: 200 });
    for (const { text } of japanese) expect(text).toMatch(/。$/);
  });

  test.each([
    [
      'a question and its answer',
      (at: number) =>
        `How long does delivery ${at} to the islands take?\n\nDelivery takes ${at} working days, or four with the boat that leaves at noon on days without wind.\n\n`,
      /\?$/,
    ],
    [
      'the name and the price of a list item',
      (at: number) => `- ### Lamp number ${at}\n\n  $${at}9.00\n`,
      /Lamp number \d+$/,
    ],
    [
      'a term and its definition',
      (at: number) => `Term ${at}\n\n: It weighs ${at} kilograms and is kept in the customs house.\n\n`,
      /Term \d+$/,
    ],
  ])('are not cut apart: %s', (_name, part, isCut) => {
    const content = Array.from({ length: 30 }, (_, at) => part(at)).join('');
    for (const charsMax of [150, 200, 260, 300, 400]) {
      const chunks = chunkText(content, { charsMax });
      expect(chunks.length).toBeGreaterThan(1);
      expect(chunks.filter(({ text }) => isCut.test(text))).toEqual([]);
    }
  });

  test('plain text has no headings and no code', () => {
    expect(chunkText('# not a heading', { format: 'text' })[0]?.headings).toBeUndefined();
  });

  test('F56: a line of megabytes is cut in time', () => {
    const times = sized('thousand words of one line that are cut', { small: 200, large: 1_000, full: 1_000 });
    const cpuMs = countCpu();
    expect(chunkText('word '.repeat(1_000 * times)).length).toBeGreaterThan(9 * times);
    expect(chunkText(`${'a. '.repeat(100 * times)}${' '.repeat(2_000 * times)}`).length).toBeGreaterThan(
      times / 2,
    );
    const lines = `${'\n'.repeat(100 * times)}${'a\n'.repeat(100 * times)}`;
    expect(chunkText(`\`\`\`\n${lines}\`\`\``).length).toBeGreaterThan(0.35 * times);
    const head = `| ${'a'.repeat(400 * times)} |\n|${'-'.repeat(400 * times)}x\n`;
    expect(chunkText(`${head}${'| b |\n'.repeat(100 * times)}`).length).toBeGreaterThan(0.9 * times);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
