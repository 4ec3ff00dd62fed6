import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { clientFolder } from './client-folders.ts';

// tavily-python, unmodified, against the gateway: only `api_base_url` is another one.

type Seen = Record<string, Record<string, unknown> & { results: Record<string, unknown>[] }>;

const folder = clientFolder('tavily-python');
let gateway: TestGateway;
let seen: { sync: Seen; async: Seen };
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
  if (folder === undefined) return;
  const { url } = await gateway.listen();
  const rich = await gateway.newKey({ tier: 'pro' });
  await gateway.store.accounts.topUp({ subscription: rich.subscription, amount: 100_000_000 });
  const poor = await gateway.newKey({ tier: 'free' });
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const script = join(import.meta.dirname, 'tavily-python.py');
  const { stdout } = await promisify(execFile)(python, [script, url, rich.key, poor.key], {
    maxBuffer: 64 * 1024 * 1024,
    timeout: 110_000,
  });
  seen = JSON.parse(stdout) as typeof seen;
}, 120_000);
afterAll(() => gateway.close());

describe.skipIf(folder === undefined)('tavily-python', () => {
  test('search, with every option it has, and qna_search', () => {
    expect(seen.sync['search']).toMatchObject({ query: 'tidal mills', answer: null, images: [] });
    expect(seen.sync['search']?.results).toHaveLength(5);
    expect(seen.sync['every_option']).toMatchObject({
      answer: expect.any(String) as string,
      usage: { credits: 2 },
    });
    expect(seen.sync['every_option']?.results[0]).toMatchObject({
      published_date: expect.stringMatching(/GMT$/) as string,
      favicon: expect.any(String) as string,
    });
    expect(seen.sync['qna']).toEqual(expect.any(String));
    expect(seen.async['search']?.results).toHaveLength(5);
    expect(seen.async['qna']).toEqual(expect.any(String));
  });

  test('extract, crawl and map', () => {
    expect(seen.sync['extract']).toMatchObject({
      results: [{ url: 'https://mill.example/' }],
      failed_results: [{ url: 'https://gone.example/' }],
    });
    expect(seen.sync['extract_one']?.results).toHaveLength(1);
    expect(seen.sync['crawl']?.results.length).toBeGreaterThan(0);
    expect(seen.sync['map']).toMatchObject({ base_url: 'mill.example' });
    expect(seen.async['extract']?.results).toHaveLength(1);
    expect(seen.async['crawl']?.results.length).toBeGreaterThan(0);
    expect(seen.async['map']?.results).toContain('https://mill.example/more');
  });

  test('research: taken on, polled to its end, and streamed', () => {
    expect(seen.sync['research']).toMatchObject({
      status: 'completed',
      content: expect.any(String) as string,
    });
    expect(seen.sync['stream']).toEqual(expect.stringMatching(/event: done$/));
    expect(seen.async['research']).toMatchObject({ status: 'pending' });
    expect(seen.async['stream']).toEqual(expect.stringMatching(/event: done$/));
  });

  test('errors are raised as the classes that callers catch, in Tavily’s words', () => {
    const short = {
      raised: 'BadRequestError',
      message: 'Query is too short. Min query length is 2 characters.',
    };
    const wrong = { raised: 'InvalidAPIKeyError', message: 'Unauthorized: missing or invalid API key.' };
    expect(seen.sync).toMatchObject({
      too_short: short,
      bad_topic: { raised: 'BadRequestError' },
      wrong_key: wrong,
      no_start: { raised: 'BadRequestError', message: '[400] No starting url provided' },
      spent: {
        raised: 'ForbiddenError',
        message: expect.stringContaining('Limit reached: 10 of 10') as string,
      },
      unknown_research: { raised: expect.any(String) as string },
    });
    expect(seen.async).toMatchObject({ too_short: short, wrong_key: wrong });
  });
});
