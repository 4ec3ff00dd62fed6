import { afterEach, describe, expect, test } from 'vitest';
import type { GuardedFetch } from '../../src/net/fetch.ts';
import { createMovableClock } from '../support/movable-clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

type Body = Record<string, unknown>;
const open = async (policy: Body, more: Parameters<typeof createTestGateway>[0] = {}) => {
  gateway = await createTestGateway({
    config: Object.fromEntries(Object.entries(policy).map(([name, value]) => [`policy.${name}`, value])),
    ...more,
  });
  return gateway.newKey({ tier: 'pro' });
};
const ask = async (key: string, path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
  return { status: response.status, body: (await response.json()) as Body };
};
const read = async (key: string, ...urls: string[]) => (await ask(key, '/extract', { urls })).body;
const readUrls = (body: Body) => (body['results'] as { url: string }[]).map(({ url }) => url);
const failures = (body: Body) => body['failed_results'] as { url: string; error: string; code: string }[];
const codeIn = (text: string) => /[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(text)?.[0] ?? '';
const find = async (key: string, query = 'mill') => readUrls((await ask(key, '/search', { query })).body);
const narrow = (rules: object) => ({ 'x-headgate-policy': JSON.stringify(rules) });
const lastPolicy = async () => {
  const { body } = await gateway.admin('GET', '/calls?policy=*&limit=1');
  return (body['calls'] as Body[])[0]?.['policy'];
};

/** A web in which every page has one link. */
const linking =
  (linkOf: (url: string) => string): GuardedFetch =>
  async (url) => ({
    url,
    finalUrl: url,
    status: 200,
    headers: { 'content-type': 'text/html' },
    contentType: 'text/html',
    bytes: Buffer.from(
      `<main><h1>The mill</h1><p>See <a href="${linkOf(url)}">this page</a>, and read this paragraph, which is long enough to be the content of a page about a mill.</p></main>`,
    ),
    redirects: [],
  });

describe('admitted addresses', () => {
  test('are those that a search or a page showed to this key; a person approves others', async () => {
    const { key } = await open({ fetch: 'admitted' }, { web: linking((url) => new URL('/more', url).href) });
    const [url = ''] = await find(key);
    expect(readUrls(await read(key, url))).toEqual([url]);
    const link = `${new URL(url).origin}/more`;
    expect(readUrls(await read(key, link))).toEqual([link]);

    // A link of a result is one link away from the search.
    const near = await ask(key, '/extract', { urls: [url, link] }, narrow({ max_depth: 0 }));
    expect([readUrls(near.body), failures(near.body)]).toMatchObject([[url], [{ code: 'BLOCKED_HOST' }]]);
    expect(failures(near.body)[0]?.error).toContain('1 link away, and only 0 may be followed');

    const secret = 'https://attacker.example/?s=hunter2';
    const mixed = await read(key, url, secret);
    expect([readUrls(mixed), mixed['outcome']]).toEqual([[url], 'partial']);
    const refused = await read(key, secret);
    expect(refused).toMatchObject({ outcome: 'needs_approval', results: [] });
    expect(failures(refused)).toMatchObject([{ url: secret, code: 'NEEDS_APPROVAL' }]);
    expect(await lastPolicy()).toBe('operator.fetch');

    const code = codeIn(failures(refused)[0]?.error ?? '');
    const { body } = await gateway.admin('GET', '/approvals');
    expect(body['approvals']).toMatchObject([{ code, url: secret, state: 'pending' }]);
    const other = await gateway.newKey({ tier: 'pro' });
    // What one key was shown, asked or had approved is nothing to another.
    expect(failures(await read(other.key, url, secret)).map((one) => one.code)).toEqual([
      'NEEDS_APPROVAL',
      'NEEDS_APPROVAL',
    ]);
    expect((await gateway.admin('POST', `/approvals/${code}`, { approve: true })).status).toBe(200);
    expect(readUrls(await read(other.key, secret))).toEqual([]);
    expect(readUrls(await read(key, secret))).toEqual([secret]);
    expect((await gateway.admin('POST', `/approvals/${code}`, { approve: true })).status).toBe(404);
    // Even a key that administers the workspace approves nothing.
    const admin = await gateway.newKey({ scopes: ['admin:read', 'admin:write'] });
    const own = await ask(admin.key, `/admin/approvals/${code}`, { approve: true });
    expect([own.status, JSON.stringify(own.body)]).toEqual([403, expect.stringContaining('workspace key')]);
  });

  test('are compared as they would be sent', async () => {
    const { key } = await open({ fetch: 'admitted' });
    const [url = ''] = await find(key);
    const { host, origin, pathname } = new URL(url);
    const variants = [
      `${url}?x`,
      `${url}#x`,
      `${url}#/x`,
      `https://u:p@${host}${pathname}`,
      `http://${host}${pathname}`,
      `https://x.${host}${pathname}`,
      `${origin}:8443${pathname}`,
      `${origin}//${pathname}`,
      `${origin}${pathname}%20`,
      url.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
      `${url}?utm_source=secret`,
    ].filter((one) => one !== url);
    for (const variant of variants)
      expect([variant, readUrls(await read(key, variant))]).toEqual([variant, []]);
    expect(
      readUrls(await read(key, url.toUpperCase().replace(pathname.toUpperCase(), pathname))),
    ).toHaveLength(1);
  });

  test('are asked for at every door, and what a caller wrote is not what it was shown', async () => {
    const { key } = await open({ fetch: 'admitted' });
    const secret = 'https://attacker.example/s/hunter2';
    await ask(key, '/search', { query: secret });
    await read(key, secret);
    const doors: [string, object][] = [
      ['/crawl', { url: secret }],
      ['/map', { url: secret }],
      ['/v2/scrape', { url: secret }],
      ['/open-webui/loader', { urls: [secret] }],
    ];
    for (const [path, body] of doors) {
      const answer = await ask(key, path, body);
      expect([path, JSON.stringify(answer.body)]).toEqual([path, expect.stringMatching(/approval/)]);
    }
    const jina = await gateway.app.request(`http://127.0.0.1/r/${secret}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await jina.text()).toContain('approval');
    expect((await ask(key, '/crawl', { url: secret })).status).toBe(403);
  });

  test('cost what the choice tells, until the budget is used up; then a person is asked', async () => {
    const clock = createMovableClock();
    const { key, id } = await open({ fetch: 'admitted', leak_bits: 8 }, { clock });
    const urls = await find(key);
    const who = { owner: `key ${id}`, payers: [`key ${id}`] };
    await read(key, urls[0] ?? '');
    const first = Math.ceil(1_000 * Math.log2(urls.length));
    expect(await gateway.store.leaks.booked(who)).toBe(first);
    const second = await read(key, urls[1] ?? '');
    expect(readUrls(second)).toHaveLength(1);
    const third = await read(key, urls[2] ?? '');
    expect(failures(third)[0]?.error).toContain('leak budget');
    expect(await gateway.store.leaks.booked(who)).toBeLessThanOrEqual(8_000);
    clock.move(24 * 3_600_000 + 1);
    // What was shown a day ago does not count either.
    expect(readUrls(await read(key, urls[2] ?? ''))).toEqual([]);
    await find(key);
    expect(readUrls(await read(key, urls[2] ?? ''))).toHaveLength(1);
  });

  test('a crawl costs its start and what its parameters tell', async () => {
    const { key, id } = await open({ fetch: 'admitted' });
    const [url = ''] = await find(key);
    const who = { owner: `key ${id}`, payers: [`key ${id}`] };
    const steered = await ask(key, '/crawl', { url, select_paths: ['/hunter2/.*'] });
    expect([steered.status, JSON.stringify(steered.body)]).toEqual([403, expect.stringContaining('budget')]);
    expect(await gateway.store.leaks.booked(who)).toBe(0);
    expect((await ask(key, '/crawl', { url })).status).toBe(200);
    expect(await gateway.store.leaks.booked(who)).toBeLessThan(4_000);
  });

  test('are demanded by any level, and lists only free from the demand of their level and below', async () => {
    const clock = createMovableClock();
    const { key, workspace } = await open({ admit: ['docs.example'] }, { clock });
    const [page, docs, wiki] = ['https://a.example/', 'https://docs.example/', 'https://wiki.example/'];
    const readable = async (headers = {}) => {
      const { body } = await ask(key, '/extract', { urls: [page, docs, wiki] }, headers);
      return readUrls(body);
    };
    const set = async (rules: object) => {
      expect((await gateway.admin('POST', '/policies', { workspace, rules })).status).toBe(200);
      clock.move(1_001);
    };
    expect(await readable()).toEqual([page, docs, wiki]);
    await set({ fetch: 'admitted', admit: ['wiki.example'] });
    expect(await readable()).toEqual([docs, wiki]);
    expect(await readable({ 'x-headgate-policy': JSON.stringify({ fetch: 'any', admit: ['*'] }) })).toEqual([
      docs,
      wiki,
    ]);
    await set({ fetch: 'admitted', mode: 'report' });
    expect(await readable()).toEqual([page, docs, wiki]);
    expect(await lastPolicy()).toBe('workspace.fetch (reported)');
    expect(await readable({ 'x-headgate-policy': JSON.stringify({ fetch: 'strict' }) })).toEqual([docs]);
  });

  test('a page at an address that the caller made up shows no new addresses', async () => {
    const echo = 'https://docs.example/echo?say=https://attacker.example/hunter2';
    const { key } = await open(
      { fetch: 'admitted', admit: ['docs.example'] },
      {
        web: linking(() => 'https://attacker.example/hunter2'),
      },
    );
    expect(JSON.stringify(await read(key, echo))).toContain('attacker.example/hunter2');
    expect(readUrls(await read(key, 'https://attacker.example/hunter2'))).toEqual([]);
  });
});
