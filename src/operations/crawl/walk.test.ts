import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { parseInput } from '../../contract/parse.ts';
import { mapContract } from '../../contract/crawl.ts';
import { createTestClock } from '../../../tests/support/clock.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Extracted } from '../../extract/extracted.ts';
import type { GuardedFetch } from '../../net/fetch.ts';
import type { Services } from '../services.ts';
import { walk, type Walked } from './walk.ts';

/** A site of linked pages with a robots.txt; how fast it is read is written down instead of waited for. */
async function walkSite(robots: string | number, links: Record<string, string[]>, more: object = {}) {
  const clock = createTestClock(0);
  const waits: [string, number][] = [];
  const asked: string[] = [];
  const fetch: GuardedFetch = async (url) => {
    asked.push(url);
    const { pathname } = new URL(url);
    if (pathname === '/hangs') {
      clock.advance(60_000);
      throw new HeadgateError('upstream_timeout', 'a.example did not answer completely within 60 s.');
    }
    if (pathname === '/robots.txt' && typeof robots === 'number')
      throw new HeadgateError('page_status', 'no', { data: { status: robots } });
    const text =
      pathname === '/robots.txt' ? robots : JSON.stringify((links[url] ?? []).map((link) => ({ url: link })));
    return {
      url,
      finalUrl: url,
      status: 200,
      headers: {},
      contentType: 'text/html',
      bytes: new TextEncoder().encode(String(text)),
      redirects: [],
    };
  };
  const services = {
    config: loadConfig({}).config,
    clock,
    fetch,
    extract: async ({ bytes }: { bytes: Uint8Array }) =>
      ({ text: 'x', links: JSON.parse(new TextDecoder().decode(bytes)) as unknown }) as Extracted,
    pace: { wait: async (key: string, ms: number) => void waits.push([key, ms]) },
  } as unknown as Services;
  const call: Call = { requestId: '1', caller: {}, signal: new AbortController().signal, deadline: 60_000 };
  const input = parseInput(mapContract.input, { url: 'https://a.example/', max_depth: 3, ...more });
  const walked: Walked = await walk(input, undefined, { call, services });
  return { ...walked, waits, asked, visited: walked.visits.map((visit) => visit.url) };
}

const LINKS = {
  'https://a.example/': ['https://a.example/one', 'https://b.example/'],
  'https://a.example/one': ['https://a.example/two', 'https://a.example/secret'],
};

describe('a walk through a site', () => {
  test('waits as long as each site’s crawl-delay says, and never less than our own pace', async () => {
    const { waits } = await walkSite('User-agent: *\nCrawl-delay: 2.5', LINKS);
    expect(new Set(waits.map(([key]) => key))).toEqual(new Set(['crawl:a.example', 'crawl:b.example']));
    expect(waits.every(([, ms]) => ms === 2_500)).toBe(true);
    const quick = await walkSite('User-agent: *\nCrawl-delay: 0', LINKS);
    expect(quick.waits.every(([, ms]) => ms === 100)).toBe(true);
    expect(quick.waits.length).toBeGreaterThan(3);
  });

  test('obeys the rules that are written for us by name before those for everybody', async () => {
    const rules = 'User-agent: *\nDisallow: /\n\nUser-agent: headgate\nDisallow: /secret';
    const { visited, skipped, asked } = await walkSite(rules, LINKS);
    expect(visited).toContain('https://a.example/two');
    expect(skipped).toContainEqual({
      url: 'https://a.example/secret',
      reason: 'robots.txt does not allow it',
    });
    expect(asked).not.toContain('https://a.example/secret');
  });

  test('asks each site for its rules once; without rules everything is allowed, behind an error nothing', async () => {
    const without = await walkSite(404, LINKS);
    expect(without.asked.filter((url) => url === 'https://a.example/robots.txt')).toHaveLength(1);
    expect(without.visited).toContain('https://a.example/secret');
    const broken = await walkSite(503, LINKS);
    expect([broken.visited, broken.skipped.length]).toEqual([[], 1]);
  });

  test('a page that waited until the end of the call is not skipped: the walk is cut there and leads on', async () => {
    const links = { 'https://a.example/': ['https://a.example/hangs'] };
    const { visited, skipped, isCut, state } = await walkSite('', links);
    expect({ visited, skipped, isCut, queue: state.queue }).toEqual({
      visited: ['https://a.example/'],
      skipped: [],
      isCut: true,
      queue: [{ url: 'https://a.example/hangs', depth: 1 }],
    });
  });

  test('goes breadth first, within depth, breadth, limit and site', async () => {
    const all = await walkSite('', LINKS);
    expect(all.visited.slice(0, 3)).toEqual([
      'https://a.example/',
      'https://a.example/one',
      'https://b.example/',
    ]);
    expect((await walkSite('', LINKS, { max_depth: 1 })).visited).not.toContain('https://a.example/two');
    expect((await walkSite('', LINKS, { max_breadth: 1 })).visited).not.toContain('https://b.example/');
    expect((await walkSite('', LINKS, { limit: 2 })).visited).toHaveLength(2);
    expect((await walkSite('', LINKS, { allow_external: false })).visited).not.toContain(
      'https://b.example/',
    );
  });
});
