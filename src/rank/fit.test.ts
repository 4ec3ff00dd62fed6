import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitItems } from './fit-items.ts';
import { fitText, type FittedText } from './fit.ts';
import { framed } from './frame.ts';
import { bytesFit, countTokens, estimateTokens } from './tokens.ts';
import { countCpu } from '../../tests/support/cpu-time.ts';

const texts = fc
  .array(
    fc.oneof(
      fc.lorem({ mode: 'sentences', maxCount: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '# Title',
        '```',
        '| a | b |',
        `| Name | Value |\n| --- | --- |${'\n| one | two |'.repeat(12)}`,
        `\`\`\`python\n${'value = compute(value)\n'.repeat(12)}\`\`\``,
        '',
        '梅雨は雨の多い期間です。',
        '👩‍👩‍👧‍👦',
        'QWJjRGVmR2hpSmts',
        '<|endoftext|>',
        'ไทย',
      ),
    ),
    { maxLength: 25 },
  )
  .map((lines) => lines.join('\n'));

async function readAll(text: string, tokensMax: number): Promise<FittedText[]> {
  const pages: FittedText[] = [];
  let cursor: string | undefined;
  do {
    const page = await fitText(text, { tokensMax, cursor });
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

describe('fitText', () => {
  test('the pages behind the cursor put together are the whole text, and none exceeds the budget', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 16, max: 200 }), async (text, tokensMax) => {
        const pages = await readAll(text, tokensMax);
        expect(pages.map((page) => page.text).join('')).toBe(text);
        for (const page of pages) expect(await countTokens(framed(page))).toBeLessThanOrEqual(tokensMax);
        expect(pages.map(({ truncated }) => truncated)).toEqual(pages.map((_, at) => at < pages.length - 1));
      }),
      { numRuns: 60 },
    );
  });

  test('a page is well filled: a budget of 1,000 gives at least 700 tokens of plain text', async () => {
    const text = 'The river feeds the canal, and the headgate measures what it takes. '.repeat(400);
    const page = await fitText(text, { tokensMax: 1_000 });
    const tokens = await countTokens(page.text);
    expect(tokens).toBeGreaterThan(700);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(page.remainingChars).toBe(text.length - page.text.length);
    expect(page.remainingTokens).toBeGreaterThan(1_000);
  });

  test('code and tables that fit are not cut, and a heading stays with its text', async () => {
    const code = `\`\`\`ts\n${'const value = compute(value);\n'.repeat(8)}\`\`\``;
    const text = `${'Words before it. '.repeat(20)}\n\n## Example\n\n${code}\n\n${'Words after it. '.repeat(40)}`;
    const pages = await readAll(text, 130);
    expect(pages.some((page) => page.text.includes(`## Example\n\n${code}`))).toBe(true);
  });

  test('a long table is cut between rows', async () => {
    const text = Array.from({ length: 80 }, (_, at) => `| row ${at} | some cell | other cell |`).join('\n');
    for (const page of await readAll(text, 100)) expect(page.text).toMatch(/^\| row .*\|\n?$/s);
  });

  test('a part that begins inside a table has its head beside it, and the text is still the text', async () => {
    const head = '| Name | Value |\n| --- | --- |';
    const rows = Array.from({ length: 80 }, (_, at) => `| row ${at} | some cell |`).join('\n');
    const pages = await readAll(`Before.\n\n${head}\n${rows}\n\nAfter.`, 130);
    expect(pages.length).toBeGreaterThan(5);
    expect(pages[0]?.opening).toBeUndefined();
    for (const page of pages.slice(1))
      expect(framed(page)).toMatch(/^\| Name \| Value \|\n\| --- \| --- \|\n\| row \d/);
  });

  test('code that goes on in the next part is fenced in both, in its language, and no part has an empty one', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `    value_${at} = compute(${at})`).join('\n');
    for (const tokensMax of [60, 75, 90, 110, 400, 420]) {
      const pages = await readAll(`Before.\n\n\`\`\`python\n${lines}\n\`\`\`\n\nAfter.`, tokensMax);
      for (const page of pages) {
        const text = framed(page);
        expect(text.match(/^```/gm)?.length ?? 0).toBe(text.includes('value_') ? 2 : 0);
        expect(text.match(/```python\n {4}value_/g)?.length ?? 0).toBe(text.includes('value_') ? 1 : 0);
      }
    }
  });

  test('the cursor of another text is refused, and so is an invented one', async () => {
    const text = 'word '.repeat(500);
    const { cursor } = await fitText(text, { tokensMax: 50 });
    await expect(fitText(`${text}!`, { tokensMax: 50, cursor })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The page has changed since this cursor was given.',
    });
    await expect(fitText(text, { tokensMax: 50, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(fitText(text, { tokensMax: 3 })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('F56: runs without a break do not take quadratic time', async () => {
    const cpuMs = countCpu();
    for (const run of [
      'a'.repeat(200_000),
      ' '.repeat(200_000),
      '梅雨'.repeat(100_000),
      '-'.repeat(200_000),
    ]) {
      const page = await fitText(run, { tokensMax: 500 });
      expect(await countTokens(page.text)).toBeLessThanOrEqual(500);
    }
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe('tokens', () => {
  test('bytes that fit are known to fit without counting', () => {
    expect(bytesFit('a'.repeat(10), 10)).toBe(true);
    expect(bytesFit('雨'.repeat(4), 10)).toBe(false);
    expect(bytesFit('雨'.repeat(3), 9)).toBe(true);
  });

  test('the guess is near the count for ordinary text in several scripts', async () => {
    for (const text of [
      'A headgate lets water from a river into a canal, and it measures how much of it flows every day.',
      '梅雨は、北海道と小笠原諸島を除く日本でみられる特有の気象現象で、雨の多い期間のことである。',
      'Сезон дождей — это период года, когда в регионе выпадает большая часть годовых осадков.',
      'export function add(first: number, second: number): number {\n  return first + second;\n}',
    ]) {
      const ratio = estimateTokens(text) / (await countTokens(text));
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(1.4);
    }
  });
});

describe('fitItems', () => {
  const item = (text: string) => ({ text });
  const options = (tokensMax: number) => ({
    tokensMax,
    render: ({ text }: { text: string }) => text,
    shorten: (_: { text: string }, text: string) => ({ text }),
  });

  test('what fits is untouched', async () => {
    const items = [item('one'), item('two')];
    expect(await fitItems(items, options(1_000))).toEqual({
      items,
      truncated: false,
      omitted: 0,
      shortened: false,
    });
  });

  test('the first item is always there, shortened and marked', async () => {
    const fitted = await fitItems([item('word '.repeat(900)), item('other')], options(100));
    expect(fitted).toMatchObject({ truncated: true, omitted: 1, shortened: true });
    expect(fitted.items[0]?.text).toMatch(/^word .*\[… cut to fit the token budget\]$/s);
  });

  test('the sum of what is kept never exceeds the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 8 }),
        fc.integer({ min: 64, max: 600 }),
        async (all, tokensMax) => {
          const { items, omitted } = await fitItems(all.map(item), options(tokensMax));
          const joined = items.map(({ text }) => text).join('\n\n');
          expect(await countTokens(joined)).toBeLessThanOrEqual(tokensMax);
          expect(items.length + omitted).toBe(all.length);
          expect(items.length > 0).toBe(all.length > 0);
        },
      ),
      { numRuns: 40 },
    );
  });
});
