import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHeadgate } from '../support/cli.ts';
import { createRecording } from '../support/recording.ts';

// What became different between two recordings, the text of a recording, and dates in it that give the future away.

const home = mkdtempSync(join(tmpdir(), 'tools-'));
const at = (name: string): string => join(home, name);
const run = (...argv: string[]) => runHeadgate(['snapshot', ...argv], { home });
let site: Server;
let base: string;
/** What the site says, by path. */
const pages: Record<string, string> = {};
const html = (...sentences: string[]): string =>
  `<!doctype html><title>Mills</title><article><h1>Mills</h1>${['The valley had mills on every brook, and people came from far away to see them work.', ...sentences].map((one) => `<p>${one}</p>`).join('')}</article>`;

async function record(name: string, urls: string[]): Promise<void> {
  const live = createRecording(at(name), [Number(new URL(base).port)]);
  for (const url of urls) await live.fetch(`${base}${url}`).catch(() => undefined);
  await live.send({ url: `${base}/search`, method: 'POST', headers: {}, body: '{"query":"mills"}' });
  await live.close();
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const text = pages[request.url ?? ''];
    const type = request.url === '/search' ? 'application/json' : 'text/html';
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  Object.assign(pages, {
    '/same': html(
      'Nothing changes here, and nothing ever has, as far as anybody in the valley can remember.',
    ),
    '/page': html(
      'The oldest mill was built in 1843 and still grinds.',
      'The museum opens on 3 March 2031 for everybody.',
    ),
    '/old': html('This page was removed later, which happens to the best of pages.'),
    '/search': '{"results":[{"url":"https://a.example/"},{"url":"https://b.example/"}]}',
  });
  await record('before.wacz', ['/same', '/page', '/old']);
  pages['/page'] = html(
    'The oldest mill was built in 1843 and burnt down.',
    'The museum opens on 3 March 2031 for everybody.',
  );
  pages['/search'] = '{"results":[{"url":"https://b.example/"},{"url":"https://c.example/"}]}';
  pages['/new'] = html('This page is new, and somebody has written it with great care.');
  await record('after.wacz', ['/same', '/page', '/new']);
});
afterAll(() => {
  site.close();
  rmSync(home, { recursive: true, force: true });
});

test('diff says what changed for an agent: requests, results and text', async () => {
  const { code, out } = await run('diff', at('before.wacz'), at('after.wacz'), '--json');
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      same: 1,
      lost: [{ method: 'GET', url: `${base}/old` }],
      gained: [{ method: 'GET', url: `${base}/new` }],
      changed: expect.arrayContaining([
        {
          method: 'GET',
          url: `${base}/page`,
          lost: ['The oldest mill was built in 1843 and still grinds.'],
          gained: ['The oldest mill was built in 1843 and burnt down.'],
        },
        {
          method: 'POST',
          url: `${base}/search`,
          lost: ['https://a.example/'],
          gained: ['https://c.example/'],
        },
      ]) as unknown,
    },
  ]);
  const shown = await run('diff', at('before.wacz'), at('after.wacz'));
  expect(shown.out).toMatch(/^1 the same, 1 lost, 1 gained, 2 changed\.\n/);
  expect(shown.out).toContain('  - The oldest mill was built in 1843 and still grinds.');
  const same = await run('diff', at('after.wacz'), at('after.wacz'));
  expect([same.code, same.out]).toEqual([0, '4 exchanges, all the same.\n']);
});

test('export prints the text of pages as an agent reads it', async () => {
  const { code, out } = await run('export', at('before.wacz'), '--text');
  const rows = out
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as Record<string, string>);
  expect(code).toBe(0);
  expect(rows.map(({ url }) => String(url)).toSorted()).toEqual(
    ['/old', '/page', '/same'].map((path) => `${base}${path}`),
  );
  expect(rows.find(({ url }) => url === `${base}/page`)).toMatchObject({
    title: 'Mills',
    captured: '2026-01-01T00:00:00.000Z',
    text: expect.stringContaining('still grinds') as unknown,
  });
});

test('leak-check lists pages that name a date after a day', async () => {
  const { code, out } = await run('leak-check', at('before.wacz'), '--as-of', '2030-12-31');
  expect([code, out]).toEqual([1, `${base}/page (2026-01-01): 3 March 2031\n`]);
  expect(await run('leak-check', at('before.wacz'), '--as-of', '2031-03-03')).toMatchObject({
    code: 0,
    out: 'No page names a date after 2031-03-03.\n',
  });
  expect((await run('leak-check', at('before.wacz'), '--as-of', 'soon')).err).toContain(
    'Write it as 2026-01-31.',
  );
});

test('eval asks questions, records them, and answers the same from the recording', async () => {
  const questions = at('questions.jsonl');
  const lines = [
    { id: 'mill', question: 'When was the oldest mill built?', answers: ['1843'] },
    { question: 'Who owns the moon?', answers: ['nobody', 'no one'] },
  ];
  writeFileSync(questions, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const content = 'The oldest mill of the valley was built in 1843 by two brothers. It still grinds flour.';
  const result = { url: `${base}/mill`, title: 'The oldest mill', content, raw_content: content, score: 0.9 };
  pages['/tavily/search'] = JSON.stringify({ query: '', results: [result], images: [], response_time: 0.1 });
  pages['/mill'] = html(content);
  const env = {
    TAVILY_API_KEY: 'tvly-anything',
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${base}/tavily`,
    HEADGATE_SEARCH__PROVIDER: 'tavily',
    HEADGATE_EXTRACT__PROVIDER: 'headgate',
    HEADGATE_PROVIDERS__DUCKDUCKGO__ENABLED: 'false',
    HEADGATE_GUARD__ALLOW: '127.0.0.1',
    HEADGATE_GUARD__PORTS: new URL(base).port,
  };
  const ask = (...flags: string[]) => runHeadgate(['eval', questions, ...flags], { home, env });
  const researched = await ask('--research', '--record', at('research.wacz'), '--json');
  expect([researched.code, researched.err]).toEqual([0, '']);
  expect(JSON.parse(researched.out)).toMatchObject({
    answers: [{ id: 'mill', scores: { contains: 1, citations: 1 } }, {}],
  });
  expect((await ask('--research', '--web', at('research.wacz'), '--json')).out).toBe(researched.out);
  const recorded = await ask('--record', at('eval.wacz'), '--json');
  expect([recorded.code, recorded.err]).toEqual([0, '']);
  const { measures, answers } = JSON.parse(recorded.out) as {
    measures: Record<string, { mean: number; low: number; high: number; n: number }>;
    answers: { id: string; answer: string; scores: Record<string, number> }[];
  };
  expect(answers[0]).toMatchObject({ id: 'mill', scores: { contains: 1, citations: 1 } });
  expect(measures['contains']).toMatchObject({ mean: 0.5, n: 2 });
  pages['/mill'] = pages['/tavily/search'] = '';
  await record('other.wacz', ['/old']);
  const replayed = await ask('--web', at('eval.wacz'), '--json');
  expect(JSON.parse(replayed.out)).toEqual(JSON.parse(recorded.out));
  const compared = await ask('--web', at('eval.wacz'), '--against', at('other.wacz'), '--at-least', '0.9');
  expect([compared.code, compared.out]).toEqual([
    1,
    expect.stringMatching(
      /contains {2,}50\.0 \[9\.5, 90\.5\] {2,}0\.0 \[0\.0, 65\.8\] {2,}-50\.0 \[-100\.0, 0\.0\]/,
    ),
  ]);
  // Another configuration, which allows no provider that was recorded.
  const other = at('other.toml');
  writeFileSync(other, '[policy]\nproviders = ["wikipedia"]\nmode = "enforce"\n');
  const set = JSON.parse((await ask('--web', at('eval.wacz'), '--against-config', other, '--json')).out) as {
    answers: { scores: object; against: { answer: string; code: string } }[];
    difference: Record<string, { mean: number }>;
  };
  expect(set.answers[0]).toMatchObject({ scores: { contains: 1 }, against: { answer: '' } });
  expect(set.difference['contains']?.mean).toBe(-0.5);
  expect((await ask('--web', at('eval.wacz'), '--record', at('x.wacz'))).err).toContain('exclude each other');
  writeFileSync(questions, '{"question":"?"}\n');
  expect((await ask()).err).toContain('Line 1 is no question.');
});
