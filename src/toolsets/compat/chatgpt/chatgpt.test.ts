import { expect, test } from 'vitest';
import { createTestClock } from '../../../../tests/support/clock.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { Call } from '../../../core/call.ts';
import { createToolEngine } from '../../engine.ts';
import { chatgpt } from './chatgpt.ts';

const account = { outcome: 'ok', attempts: [], warnings: [], request_id: 'r', credits: 0, response_time: 0 };
const found = ['One', 'Two\nlines'].map((title, index) => ({
  url: `https://mill.example/${index}`,
  title,
  content: 'About mills.',
}));
const engine = createToolEngine({
  clock: createTestClock(0),
  search: async ({ query }) => {
    if (query === 'refused') throw new HeadgateError('rate_limited', 'Too many requests.');
    return { ...account, query, results: found, images: [], answer: null } as never;
  },
  extract: async ({ urls }) => {
    const [url = ''] = urls as string[];
    const page = {
      url,
      title: 'Mill',
      raw_content: url.endsWith('long') ? 'The mill turns. '.repeat(20_000) : 'The mill.',
      byline: 'A. Miller',
      truncated: false,
      trust: 'untrusted_web',
    };
    const isGone = url.includes('gone');
    return {
      ...account,
      results: isGone ? [] : [page],
      failed_results: isGone ? [{ url, error: 'The page is gone.', code: 'NOT_FOUND' }] : [],
    } as never;
  },
});
const call = { requestId: 'r', signal: new AbortController().signal, caller: {} } as unknown as Call;
const run = async (name: string, input: object) => {
  const tool = chatgpt.tools.find((one) => one.name === name);
  const result = await tool?.run(input, call, engine);
  return { ...result, text: result?.text ?? '' };
};

test('search gives exactly id, title and url of each result, as one JSON object', async () => {
  const { text, meta } = await run('search', { query: 'mills' });
  expect(JSON.parse(text)).toEqual({
    results: [
      { id: 'https://mill.example/0', title: 'One', url: 'https://mill.example/0' },
      { id: 'https://mill.example/1', title: 'Two lines', url: 'https://mill.example/1' },
    ],
  });
  expect(meta).toMatchObject({ trust: 'untrusted_web' });
});

test('fetch gives the page of an id with its metadata as texts', async () => {
  const { text } = await run('fetch', { id: 'https://mill.example/0' });
  expect(JSON.parse(text)).toEqual({
    id: 'https://mill.example/0',
    title: 'Mill',
    text: 'The mill.',
    url: 'https://mill.example/0',
    metadata: { author: 'A. Miller', trust: 'untrusted_web' },
  });
});

test('a long page stays valid JSON within what a host passes on, and says that it was cut', async () => {
  const { text } = await run('fetch', { id: 'https://mill.example/long' });
  const page = JSON.parse(text) as { text: string; metadata: object };
  expect(page.metadata).toMatchObject({ truncated: 'true' });
  expect(text.length).toBeLessThan(chatgpt.tools.find(({ name }) => name === 'fetch')?.outputCharsMax ?? 0);
});

test('what fails is an error with its reason', async () => {
  expect(await run('fetch', { id: 'https://gone.example/' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('The page is gone.'),
  });
  expect(await run('search', { query: 'refused' })).toMatchObject({
    isError: true,
    text: 'Too many requests.',
  });
});
