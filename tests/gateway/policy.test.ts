import { afterEach, describe, expect, test } from 'vitest';
import { addToLibrary } from '../../src/operations/library/add.ts';
import { createMovableClock } from '../support/movable-clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

const open = async (policy: Record<string, unknown>, web?: 'guarded') => {
  gateway = await createTestGateway({
    config: Object.fromEntries(Object.entries(policy).map(([name, value]) => [`policy.${name}`, value])),
    ...(web === undefined ? {} : { web }),
  });
};
const ask = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
  const response = await gateway.post(path, body);
  return [response.status, (await response.json()) as Record<string, unknown>];
};
const lastCall = async () => {
  const { body } = await gateway.admin('GET', '/calls?policy=*&limit=1');
  return (body['calls'] as Record<string, unknown>[])[0];
};

describe('the operator’s policy', () => {
  test('refuses an address before it is asked for, and says which rule it was', async () => {
    await open({ deny: ['127.0.0.1'] }, 'guarded');
    const page = `${gateway.sim.url}/web/`;
    const before = gateway.sim.requests.length;
    const [status, body] = await ask('/extract', { urls: [page] });
    expect(status).toBe(200);
    expect(body['results']).toEqual([]);
    expect(body['failed_results']).toMatchObject([{ url: page, code: 'BLOCKED_HOST' }]);
    expect(JSON.stringify(body)).toContain(
      'Refused by the policy of the operator: \\"127.0.0.1\\" is denied.',
    );
    expect(gateway.sim.requests.length).toBe(before);
    expect(await lastCall()).toMatchObject({ policy: 'operator.deny', outcome: 'blocked' });
  });

  test('leaves out results of denied domains, and says how many', async () => {
    await open({});
    const [, free] = await ask('/search', { query: 'mill' });
    const hosts = (free['results'] as { url: string }[]).map(({ url }) => new URL(url).hostname);
    await gateway.close();
    await open({ deny: [String(hosts[0])] });
    const [, kept] = await ask('/search', { query: 'mill' });
    const left = hosts.filter((host) => host !== hosts[0] && !host.endsWith(`.${hosts[0]}`));
    expect((kept['results'] as { url: string }[]).map(({ url }) => new URL(url).hostname)).toEqual(left);
    expect(String(kept['warnings'])).toContain('left out by the policy');
    expect(await lastCall()).toMatchObject({ policy: 'operator.deny' });
  });

  test('names the operations and providers that may be used', async () => {
    await open({ operations: ['search'], providers: ['duckduckgo'], mode: 'enforce' });
    const [status, body] = await ask('/extract', { urls: ['https://mill.example/'] });
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('extract is not one of')]);
    const [refused, why] = await ask('/search', { query: 'mill', provider: 'tavily' });
    expect([refused, JSON.stringify(why)]).toEqual([403, expect.stringContaining('tavily is not one of')]);
    const [found, { attempts }] = await ask('/search', { query: 'mill' });
    expect([found, (attempts as { provider: string }[]).map(({ provider }) => provider)]).toEqual([
      200,
      ['duckduckgo'],
    ]);
    const { key } = await gateway.newKey();
    const keyed = { authorization: `Bearer ${key}` };
    const other = await gateway.post('/extract', { urls: ['https://mill.example/'] }, keyed);
    expect([other.status, await other.text()]).toEqual([
      403,
      expect.stringContaining('extract is not one of'),
    ]);
  });

  test('only reports when it is told to', async () => {
    await open({ deny: ['*'], mode: 'report' });
    const [status, body] = await ask('/extract', { urls: ['https://mill.example/'] });
    expect([status, (body['results'] as unknown[]).length]).toEqual([200, 1]);
  });

  test('is not accepted with an entry that names no host', async () => {
    gateway = await createTestGateway();
    await expect(createTestGateway({ config: { 'policy.deny': ['https://a.example/x'] } })).rejects.toThrow(
      /policy/,
    );
  });
});

describe('policies of workspaces, agents and calls', () => {
  const asKey = async (key: string, path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
    return [response.status, (await response.json()) as Record<string, unknown>] as const;
  };
  const page = { urls: ['https://mill.example/'], provider: 'tavily' };
  const codesOf = ([, body]: readonly [number, Record<string, unknown>]) =>
    (body['failed_results'] as { code: string }[]).map(({ code }) => code);

  test('narrow what the level above allows, for their callers only, and at once', async () => {
    const clock = createMovableClock();
    gateway = await createTestGateway({
      clock,
      config: { 'providers.tavily.api_key': 'tvly-test', 'policy.deny': ['a.example'] },
    });
    const [one, other] = [await gateway.newKey({ tier: 'pro' }), await gateway.newKey({ tier: 'pro' })];
    const ask = async (key = one.key, headers = {}) => codesOf(await asKey(key, '/extract', page, headers));
    expect(await ask()).toEqual([]);

    const body = { workspace: one.workspace, rules: { deny: ['mill.example'] } };
    expect((await gateway.admin('POST', '/policies', body)).status).toBe(200);
    clock.move(1_001);
    expect([await ask(), await ask(other.key)]).toEqual([['BLOCKED_HOST'], []]);

    // What the operator denies stays denied, whatever a workspace allows.
    await gateway.admin('POST', '/policies', { ...body, rules: { allow: ['a.example', 'mill.example'] } });
    clock.move(1_001);
    expect(await ask()).toEqual([]);
    const denied = await asKey(one.key, '/extract', { ...page, urls: ['https://a.example/'] });
    expect(codesOf(denied)).toEqual(['BLOCKED_HOST']);

    const narrow = { 'x-headgate-policy': JSON.stringify({ deny: ['mill.example'] }) };
    expect([await ask(one.key, narrow), await ask()]).toEqual([['BLOCKED_HOST'], []]);
    const wrong = await asKey(one.key, '/extract', page, { 'x-headgate-policy': '{"denies":[]}' });
    expect([wrong[0], JSON.stringify(wrong[1])]).toEqual([400, expect.stringContaining('policy')]);

    expect((await gateway.admin('DELETE', `/policies/${one.workspace}`)).status).toBe(200);
    expect((await gateway.admin('GET', '/policies')).body).toMatchObject({
      operator: { deny: ['a.example'] },
      policies: [],
    });
  });

  test('bind an agent, and can be tried without asking anybody', async () => {
    await open({ providers: ['duckduckgo'] });
    const { workspace } = await gateway.newKey();
    const agent = await gateway.store.agents.create({ workspace, name: 'Reader' });
    const rules = { allow: ['docs.example'] };
    await gateway.admin('POST', '/policies', { workspace, agent: agent.id, rules });
    const tried = async (text: string, more = '') =>
      (await gateway.admin('GET', `/policies/test?text=${encodeURIComponent(text)}${more}`)).body;
    const asAgent = `&workspace=${workspace}&agent=${agent.id}`;
    expect(await tried('https://mill.example/')).toEqual({ asked: 'address', verdict: 'allow' });
    expect(await tried('https://mill.example/', asAgent)).toMatchObject({
      verdict: 'deny',
      level: 'agent',
      rule: 'allow',
    });
    expect(await tried('https://v2.docs.example/', asAgent)).toMatchObject({ verdict: 'allow' });
    expect(await tried('who mills grain?')).toMatchObject({
      asked: 'query',
      verdict: 'allow',
      providers: ['duckduckgo'],
    });
    expect(gateway.sim.requests).toEqual([]);
  });
});

describe('what is handed over', () => {
  // Every door and operation that returns addresses, of the web, of providers, of a cache and of the library.
  const rows: [string, string, object][] = [
    ['results', '/search', { query: 'mill' }],
    ['cached results', '/search', { query: 'mill' }],
    ['images', '/search', { query: 'mill', include_images: true, provider: 'tavily' }],
    ['results of a merge', '/search', { query: 'mill', provider: ['tavily', 'duckduckgo'] }],
    ['the library', '/search', { query: 'tidal mill', library: 'only' }],
    ['an answer', '/search', { query: 'mill', include_answer: true }],
    [
      'pages of a provider',
      '/extract',
      { urls: ['https://mill.example/'], provider: 'tavily', include_images: true },
    ],
    [
      'a crawl of a provider',
      '/crawl',
      { url: 'https://mill.example/', provider: 'tavily', include_images: true },
    ],
    ['a map of a provider', '/map', { url: 'https://mill.example/', provider: 'tavily' }],
    ['a map', '/map', { url: 'https://mill.example/' }],
    ['Firecrawl’s search', '/v2/search', { query: 'mill' }],
    ['Open WebUI’s search', '/open-webui/search', { query: 'mill', count: 5 }],
  ];
  const hostsIn = (text: string) =>
    new Set([...text.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)].map(([, host]) => host ?? ''));

  test('is nothing of a denied domain, whichever way it came', async () => {
    gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-test' } });
    const { key, workspace } = await gateway.newKey({ tier: 'pro' });
    const page = 'https://library.example/mill';
    await gateway.engine.services.library
      .of(workspace)
      .add([{ id: page, url: page, title: 'Tidal mill', content: 'A tidal mill grinds grain.' } as never]);
    const ask = async (path: string, body: object, deny?: string) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(deny === undefined ? {} : { 'x-headgate-policy': JSON.stringify({ deny: [deny] }) }),
      };
      return (await gateway.post(path, body, headers)).text();
    };
    let denied = 0;
    for (const [name, path, body] of rows) {
      const found = [...hostsIn(await ask(path, body))].filter(
        (host) => host !== '127.0.0.1' && !JSON.stringify(body).includes(`//${host}`),
      );
      for (const host of found.slice(0, 2)) {
        denied += 1;
        const text = await ask(path, body, host);
        expect([name, host, [...hostsIn(text)].filter((one) => one === host)]).toEqual([name, host, []]);
      }
    }
    expect(denied).toBeGreaterThan(rows.length);
  });
});

describe('how much may be read', () => {
  type Body = Record<string, unknown>;
  const failed = (body: Body) => body['failed_results'] as { code: string; error: string }[];
  const keyed = async (key: string, path: string, body: object, headers = {}) => {
    const response = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const narrow = (rules: object) => ({ 'x-headgate-policy': JSON.stringify(rules) });

  test('counts the pages of a key over a day, whatever reads them, and at every level', async () => {
    const clock = createMovableClock();
    gateway = await createTestGateway({ clock, config: { 'policy.max_pages': 4 } });
    const { key } = await gateway.newKey({ tier: 'pro' });
    const read = async (count: number, headers = {}) => {
      const urls = Array.from({ length: count }, (_, index) => `https://mill.example/${index}`);
      return keyed(key, '/extract', { urls }, headers);
    };
    const narrowed = await read(2, narrow({ max_pages: 1 }));
    expect(failed(narrowed.body)).toMatchObject([
      { code: 'BLOCKED_HOST', error: expect.stringContaining('only 1 page may be read in 24 hours') },
    ]);
    // A call that asks for more than the operator allows does not get it.
    expect(failed((await read(2, narrow({ max_pages: 100 }))).body)).toEqual([]);
    const crawled = await keyed(key, '/crawl', { url: 'https://mill.example/', limit: 10 });
    expect((crawled.body['results'] as unknown[]).length).toBe(1);
    const over = await read(1);
    expect(failed(over.body)).toMatchObject([{ error: expect.stringContaining('operator') }]);
    expect(await lastCall()).toMatchObject({ policy: 'operator.max_pages', outcome: 'blocked' });
    const other = await gateway.newKey({ tier: 'pro' });
    expect(failed((await keyed(other.key, '/extract', { urls: ['https://a.example/'] })).body)).toEqual([]);
    clock.move(24 * 3_600_000 + 1);
    expect(failed((await read(1)).body)).toEqual([]);
  });

  test('bounds the depth of a crawl, and of the links that an agent follows', async () => {
    await open({ max_depth: 1, fetch: 'admitted', admit: ['mill.example'] });
    const { key } = await gateway.newKey({ tier: 'pro' });
    const deep = await keyed(key, '/crawl', { url: 'https://mill.example/', max_depth: 2 });
    expect([deep.status, JSON.stringify(deep.body)]).toEqual([403, expect.stringContaining('2 links away')]);
    expect((await keyed(key, '/crawl', { url: 'https://mill.example/' })).status).toBe(200);
    const flat = await keyed(key, '/map', { url: 'https://mill.example/' }, narrow({ max_depth: 0 }));
    expect(flat.status).toBe(403);
    const tried = await gateway.admin('GET', '/policies/test?text=https://mill.example/');
    expect(tried.body).toMatchObject({ verdict: 'allow', bounds: { max_depth: 1, leak_bits: 192 } });
  });
});

test('the library adds no page that the rules of the operator or of its workspace refuse', async () => {
  await open({ deny: ['a.example'] }, 'guarded');
  const { workspace } = await gateway.newKey();
  const rules = { deny: ['127.0.0.1'] };
  await gateway.admin('POST', '/policies', { workspace, rules });
  const add = async (source: string, more = {}) =>
    JSON.stringify(await addToLibrary({ source, ...more }, {}, gateway.engine.services));
  const before = gateway.sim.requests.length;
  const page = `${gateway.sim.url}/web/x`;
  expect(await add(page, { workspace })).toContain('Refused by the policy of the workspace');
  expect(await add('https://a.example/x')).toContain('Refused by the policy of the operator');
  await expect(add('https://a.example/', { depth: 1 })).rejects.toMatchObject({ code: 'policy_denied' });
  expect(gateway.sim.requests.length).toBe(before);
});
