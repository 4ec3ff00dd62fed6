import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extract } from '../../src/operations/extract/extract.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { countTokens } from '../../src/rank/tokens.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** A long page that is read with a question and a small budget: what answers the question is inside, wherever it is. */

const FACTS = {
  en: ['How tall is the chimney of the brewery?', 'The chimney of the brewery is 43 metres tall.'],
  zh: ['啤酒厂的烟囱有多高？', '啤酒厂的烟囱高四十三米，于一九一二年建成。'],
  ru: ['Какова высота трубы пивоварни?', 'Высота трубы пивоварни составляет 43 метра.'],
} as const;
const FILLER = {
  en: 'The town has a brewery, a mill and a market that is held on Thursdays, and people come from far away.',
  zh: '这座小镇有一家啤酒厂、一座磨坊和每周四举行的集市，人们从很远的地方赶来。',
  ru: 'В городе есть пивоварня, мельница и рынок, который проходит по четвергам, и люди приезжают издалека.',
} as const;
const LINKED =
  'The <a href="https://en.example/brewery_(town)/chimney?long=address">chimney</a> of the brewery was built by the town.';
type Language = keyof typeof FACTS;
const LANGUAGES = Object.keys(FACTS) as Language[];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
  gateway.parts.services.fetch = (url) => {
    const language = new URL(url).hostname.slice(0, 2) as Language;
    const [, fact] = FACTS[language];
    const paragraphs = Array.from({ length: 60 }, (_, at) => `<p>${FILLER[language]} ${at + 1}.</p>`);
    const linked = language === 'en' ? `<p>${LINKED}</p>` : '';
    const html = `<html lang="${language}"><title>Town</title><main>${paragraphs.join('')}<p>${fact}</p>${linked}</main></html>`;
    return Promise.resolve({
      url,
      finalUrl: url,
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      contentType: 'text/html',
      bytes: new TextEncoder().encode(html),
      redirects: [],
    });
  };
});
afterAll(() => gateway.close());

describe('a page that is read with a question', () => {
  test.each(LANGUAGES)('has the answer inside every budget: %s', async (language) => {
    const [query, fact] = FACTS[language];
    for (const max_tokens of [100, 150, 300, 1_000, 4_000]) {
      const response = await gateway.post('/extract', {
        urls: [`https://${language}.example/`],
        query,
        max_tokens,
      });
      const { results } = (await response.json()) as { results: { raw_content: string }[] };
      const content = results[0]?.raw_content ?? '';
      expect(content).toContain(fact);
      expect(await countTokens(content)).toBeLessThanOrEqual(max_tokens);
    }
  });

  const read = async (more: object): Promise<string> => {
    const [query] = FACTS.en;
    const response = await gateway.post('/extract', { urls: ['https://en.example/'], query, ...more });
    const { results } = (await response.json()) as { results: { raw_content: string }[] };
    return results[0]?.raw_content ?? '';
  };

  test('has more of it in a larger budget, in the order of the page', async () => {
    const [small, large] = [await read({ max_tokens: 300 }), await read({ max_tokens: 1_500 })];
    expect(large.length).toBeGreaterThan(small.length * 2);
    const places = [...large.matchAll(/away\. (\d+)\./g)].map(([, place]) => Number(place));
    expect(places.length).toBeGreaterThan(5);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('does not spend it on addresses of links', async () => {
    const content = await read({ max_tokens: 300 });
    expect(content).toContain('The chimney of the brewery was built by the town.');
    expect(content).not.toContain('https://');
    // Without a budget they are there.
    expect(await read({})).toContain('https://en.example/brewery_');
  });

  test('has its passages where they say that they are, and says when some did not fit', async () => {
    const { services } = gateway.parts;
    const [query] = FACTS.en;
    const readAs = async (more: object) => {
      const input = { urls: ['https://en.example/'], ...more };
      const { results } = await perform(extract, input, { call: createCall(services), services });
      return results[0];
    };
    const content = (await readAs({}))?.raw_content ?? '';
    const part = await readAs({ query, max_tokens: 150 });
    expect(part?.chunks?.length).toBeGreaterThan(0);
    for (const { text, start, end } of part?.chunks ?? []) expect(text).toBe(content.slice(start, end));
    expect(part?.chunks?.some(({ text }) => text.includes('](https://'))).toBe(true);
    expect(part?.truncated).toBe(true);
    expect((await readAs({ query, max_tokens: 100_000 }))?.truncated).toBe(false);
  });

  test('keeps to the number of passages that was asked for', async () => {
    expect(await read({ max_tokens: 4_000, chunks_per_source: 1 })).not.toContain('[...]');
    expect((await read({ max_tokens: 4_000, chunks_per_source: 2 })).split('[...]')).toHaveLength(2);
  });

  test.each(LANGUAGES)('over MCP: %s', async (language) => {
    const [query, fact] = FACTS[language];
    const input = { url: `https://${language}.example/`, query, max_tokens: 400 };
    const response = await gateway.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fetch_url', arguments: input } },
      { accept: 'application/json, text/event-stream' },
    );
    const body = await response.text();
    const data = body.split('\n').find((line) => line.startsWith('data: {'));
    const { result } = JSON.parse(data?.slice('data: '.length) ?? body) as {
      result: { content: { text: string }[] };
    };
    const text = result.content.map((part) => part.text).join('\n');
    expect(text).toContain(fact);
    expect(text).toContain('More passages match; raise max_tokens to see them.');
    expect(text).not.toContain('](https://');
    expect(await countTokens(text)).toBeLessThanOrEqual(400);
  });
});
