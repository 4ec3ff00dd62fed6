import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createHeadgate } from '../../src/index.ts';
import { createOffers } from '../../src/mcp/offers.ts';
import type { LoggedCall } from '../../src/store/calls.ts';
import { defaultTools } from '../../src/toolsets/default/default.ts';
import { recordScripted } from '../support/recording.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sized } from '../support/sized.ts';
import { readingThreads } from '../support/reading-threads.ts';

const home = mkdtempSync(join(tmpdir(), 'frozen-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1, 12);
const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

const record = (file: string, exchanges: Parameters<typeof recordScripted>[1]): Promise<string> =>
  recordScripted(join(home, file), exchanges);

const replay = (path: string, more: Record<string, unknown> = {}) =>
  createHeadgate({
    home,
    config: { 'web.mode': 'replay', 'web.snapshot': path, 'search.provider': 'tavily', ...more },
  });

const page = (title: string, text: string): string =>
  `<html><head><title>${title}</title></head><body><main><h1>${title}</h1>${`<p>${text}</p>`.repeat(3)}</main></body></html>`;

test('a search in other words is answered from the pages and the results of the snapshot, or not at all', async () => {
  const path = await record('steps.wacz', [
    {
      at: START,
      page: 'https://valley.example/mill',
      html: page(
        'The Mill',
        'The tidal mill has ground wheat since 1742 and is run by the Aldana family of millers.',
      ),
    },
    {
      at: START + 1,
      query: 'lighthouse keepers',
      results: [
        {
          url: 'https://coast.example/light',
          title: 'The lighthouse',
          content: 'Keepers of the lighthouse trimmed its lamp every four hours until 1961.',
        },
      ],
    },
  ]);
  const web = replay(path);
  const milled = await web.search({ query: 'who runs the old tidal mill that grinds wheat' });
  expect(milled.results.map(({ url, provider }) => [url, provider])).toEqual([
    ['https://valley.example/mill', 'tavily'],
  ]);
  expect(milled.attempts).toEqual([{ provider: 'tavily', ms: 0, outcome: 'ok', replayed: 'frozen' }]);
  const marked = await web.extract({ urls: ['https://valley.example/mill?utm_source=letter#top'] });
  expect(marked.attempts).toMatchObject([{ provider: 'headgate', outcome: 'ok', replayed: 'canonical' }]);
  const same = await web.extract({ urls: ['https://valley.example/mill'] });
  expect([marked.results[0]?.raw_content, same.attempts[0]?.replayed]).toEqual([
    same.results[0]?.raw_content,
    undefined,
  ]);
  const lit = await web.search({ query: 'when did keepers of a lighthouse stop trimming lamps' });
  expect(lit.results[0]?.url).toBe('https://coast.example/light');
  expect(await web.search({ query: 'who runs the old tidal mill that grinds wheat' })).toEqual({
    ...milled,
    request_id: expect.any(String) as string,
  });
  await expect(web.search({ query: 'quantum chromodynamics lattice' })).rejects.toMatchObject({
    code: 'not_recorded',
  });
  await web.close();
  const strict = replay(path, { 'web.exact': true });
  await expect(strict.search({ query: 'who runs the old tidal mill' })).rejects.toMatchObject({
    code: 'not_recorded',
  });
  await strict.close();
});

test('as_of shows nothing that was captured or published later', async () => {
  const random = seededRandom(8);
  const cases = sized('as_of: cases', { small: 60, large: 10_000, full: 10_000 });
  const pick = (count: number): number => Math.floor(random() * count);
  const names = ['alder', 'birch', 'cedar', 'dogwood', 'elm'];
  const captures = names.flatMap((name) =>
    Array.from({ length: 6 }, () => ({ name, at: START + pick(60) * DAY + pick(1_000) })),
  );
  const searches = Array.from({ length: 8 }, (_, nth) => ({ nth, at: START + pick(60) * DAY + pick(1_000) }));
  const path = await record(
    'past.wacz',
    [
      ...captures.map(({ name, at }) => ({
        at,
        page: `https://trees.example/${name}`,
        html: page(
          `The ${name}`,
          `This is what was written about the ${name} at the moment number ${at} of the clock.`,
        ),
      })),
      ...searches.map(({ nth, at }) => ({
        at,
        query: 'trees',
        results: names.map((name, index) => ({
          url: `https://news.example/${nth}/${name}`,
          title: `Trees: the ${name}`,
          content: `News of trees and of the ${name}.`,
          published_date: isoDay(START + (nth * 7 + index * 5) * DAY),
        })),
      })),
    ].sort((a, b) => a.at - b.at),
  );
  const web = replay(path);
  const wrong: unknown[] = [];
  for (let nth = 0; nth < cases; nth += 1) {
    const time = START + (pick(70) - 5) * DAY + pick(DAY);
    const isDate = pick(2) === 0;
    const asOf = isDate ? isoDay(time) : new Date(time).toISOString();
    const until = isDate ? Date.parse(`${asOf}T23:59:59.999Z`) : time;
    const name = names[pick(names.length)] ?? '';
    // Each time that is searched in other words has an index of its own, so few are.
    const isFrozen = nth % 1_000 === 1;
    if (isFrozen || pick(2) === 0) {
      const query = isFrozen ? `what is new about the ${name} and other trees` : 'trees';
      const found = await web.search({ query, as_of: asOf }).catch((thrown: { code: string }) => thrown.code);
      const newest = searches
        .filter(({ at }) => at <= until)
        .sort((a, b) => a.at - b.at)
        .at(-1);
      const isRight =
        typeof found === 'string'
          ? found === 'not_recorded' && (isFrozen || newest === undefined)
          : found.attempts[0]?.replayed === (isFrozen ? 'frozen' : undefined) &&
            found.results.every(({ published_date: date, url, content }) => {
              const [, written = '0'] = /number (\d+) of/.exec(content) ?? [];
              const [, search] = /news\.example\/(\d+)/.exec(url) ?? [];
              return (
                (date === undefined || Date.parse(date) <= until) &&
                Number(written) <= until &&
                (search === undefined || (searches[Number(search)]?.at ?? Infinity) <= until) &&
                (isFrozen || Number(search) === newest?.nth)
              );
            });
      if (!isRight) wrong.push({ asOf, query, found });
    } else {
      const times = captures.filter((one) => one.name === name && one.at <= until).map(({ at }) => at);
      const { results, failed_results: failed } = await web.extract({
        urls: [`https://trees.example/${name}`],
        as_of: asOf,
      });
      const isRight =
        times.length === 0
          ? /does not hold/.test(failed[0]?.error ?? '')
          : results[0]?.raw_content.includes(`number ${Math.max(...times)} of`) === true;
      if (!isRight) wrong.push({ asOf, name, results, failed });
    }
  }
  expect(wrong).toEqual([]);
  await web.close();
}, 600_000);

test('as_of without a snapshot is refused, and so is what is no date', async () => {
  const live = createHeadgate({ home, config: { 'providers.tavily.api_key': 'tvly-0123456789abcdef' } });
  const { close, researchEvents: _events, ...operations } = live;
  const inputs = {
    search: { query: 'trees' },
    answer: { query: 'trees' },
    research: { query: 'trees' },
    extract: { urls: ['https://trees.example/elm'] },
    crawl: { url: 'https://trees.example/' },
    map: { url: 'https://trees.example/' },
  };
  for (const [name, input] of Object.entries(inputs)) {
    const run = operations[name as 'search'] as (input: unknown) => Promise<unknown>;
    await expect(run({ ...input, as_of: '2026-01-31' })).rejects.toThrow(
      'as_of: there is no snapshot to look back into.',
    );
    await expect(run({ ...input, as_of: 'yesterday' })).rejects.toThrow(/as_of: must be a date/);
  }
  await close();
});

test('a resource that is read in a replay has the same marks every time', async () => {
  const path = await record('marks.wacz', [
    { at: START, page: 'https://a.example/', html: page('A', 'Text.') },
  ]);
  const row = {
    at: START,
    request: 'r1',
    answer: 'What a page said.',
    attempts: [],
  } as unknown as LoggedCall;
  const calls = { page: async () => ({ calls: [row], next: undefined }) };
  const readIn = async (mode: 'live' | 'replay'): Promise<string[]> => {
    const flags = mode === 'live' ? {} : { 'web.mode': mode, 'web.snapshot': path };
    const { services, close } = createEngine(loadConfig({ flags }).config, {
      home,
      log: silentLogger,
      pool: readingThreads,
    });
    const offers = createOffers({ toolset: defaultTools, services, calls, surface: 'stdio' } as never);
    const asker = { signal: new AbortController().signal };
    const read = async () => JSON.stringify(await offers.read('headgate://calls/r1', asker));
    const texts = [await read(), await read()];
    await close();
    return texts;
  };
  const first = await readIn('replay');
  expect(first[0]).toContain('What a page said.');
  expect(first[0]).not.toBe(first[1]);
  expect(await readIn('replay')).toEqual(first);
  expect(await readIn('live')).not.toEqual(await readIn('live'));
});
