import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from '../../tests/support/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Intent } from '../core/gate.ts';
import type { Fault } from '../sim/faults.ts';
import { startSecureSim } from '../../tests/support/secure-sim.ts';
import { startSim, type Sim } from '../sim/server.ts';
import type { Connect, Resolve } from './dial.ts';
import { createGuardedFetch, type FetchOptions, type GuardedFetch } from './fetch.ts';
import { createGuardPolicy } from './guard.ts';

const PAGE = `<!doctype html><title>A page</title>${'<p>words</p>'.repeat(40)}`;
const MIB = 1024 * 1024;
const PUBLIC = '198.185.159.144';

let sim: Sim;
let closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  sim = await startSim({
    upstreams: [
      {
        id: 'web',
        handle: ({ url }) => ({
          status: 200,
          headers: {
            'content-type': url.searchParams.get('type') ?? 'text/html; charset=utf-8',
            'set-cookie': 'a=b',
          },
          body: PAGE,
        }),
      },
    ],
  });
});
afterAll(() => sim.close());
beforeEach(() => sim.reset());
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

/** The operator allows the simulator; everything else is as for everybody. */
function create(options: Partial<Parameters<typeof createGuardedFetch>[0]> = {}): GuardedFetch {
  const policy = createGuardPolicy({ allow: ['127.0.0.1'], ports: [sim.port] });
  const guarded = createGuardedFetch({ policy, userAgent: 'headgate-test', ...options });
  closing.push(guarded.close);
  return guarded.fetch;
}

/** Names resolve as the test says; every dialled address is recorded and is really the simulator. */
function scripted(answers: (host: string) => string[]) {
  const dialled: string[] = [];
  const resolve: Resolve = async (host) => answers(host);
  const toSim: Connect = ({ address }) =>
    new Promise((done) => {
      dialled.push(address);
      const socket = connect(sim.port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
    });
  return { dialled, fetch: create({ resolve, connect: toSim, policy: createGuardPolicy() }) };
}

const options = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  signal: new AbortController().signal,
  caller: 'tests',
  gate: undefined,
  ...more,
});
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (thrown: HeadgateError) => thrown,
  );
const codeOf = async (promise: Promise<unknown>) => (await failureOf(promise))?.code ?? 'fetched';

describe('a page', () => {
  test('comes back whole, with its type and without cookies', async () => {
    sim.script('/web', [{ kind: 'gzip' }]);
    const page = await create()(`${sim.url}/web/a?b=1#c`, options());
    expect(page).toMatchObject({
      status: 200,
      contentType: 'text/html',
      finalUrl: `${sim.url}/web/a?b=1#c`,
      redirects: [],
    });
    expect(Buffer.from(page.bytes).toString()).toBe(PAGE);
    expect(page.headers).not.toHaveProperty('set-cookie');
  });

  test('is asked for with our name, our encodings and no cookies, whatever the caller adds', async () => {
    await create()(
      `${sim.url}/web/`,
      options({ headers: { 'X-Own': '1', Cookie: 'a=b', Host: 'evil', 'accept-encoding': 'zstd' } }),
    );
    const headers = sim.requests[0]?.headers ?? {};
    expect(headers).toMatchObject({
      'user-agent': 'headgate-test',
      'x-own': '1',
      'accept-encoding': 'gzip, br, deflate',
      connection: 'close',
    });
    expect(headers['host']).toBe(new URL(sim.url).host);
    expect(headers).not.toHaveProperty('cookie');
  });

  test('F59: with an error status is page_status with the status, and is asked for once', async () => {
    const fetch = create();
    for (const status of [401, 404, 410, 451, 500, 999]) {
      sim.script('/web', [{ kind: 'status', status, headers: { 'retry-after': '7' } }]);
      await expect(fetch(`${sim.url}/web/`, options())).rejects.toMatchObject({
        code: 'page_status',
        data: { status },
        retryAfterMs: 7_000,
      });
    }
    expect(sim.requests).toHaveLength(6);
  });
});

describe('a broken page', () => {
  test.each<[string, Fault, string]>([
    ['F45: gzip, gzip', { kind: 'gzip-twice' }, 'unsupported_type'],
    ['F45: gzip in gzip under one name', { kind: 'gzip-twice-hidden' }, 'unsupported_type'],
    ['F46: malformed gzip', { kind: 'gzip-broken' }, 'network_error'],
    ['F46: gzip cut half way', { kind: 'gzip-cut' }, 'network_error'],
    ['F47: more declared than sent', { kind: 'length-over' }, 'network_error'],
    ['F47: two lengths', { kind: 'length-twice' }, 'network_error'],
    ['F47: length and chunks', { kind: 'length-and-chunked' }, 'network_error'],
    ['F48: bad chunk', { kind: 'bad-chunk' }, 'network_error'],
    ['F48: truncated chunk', { kind: 'cut-chunk' }, 'network_error'],
    ['F49: reset in the middle', { kind: 'reset' }, 'network_error'],
    ['F49: cut in the middle', { kind: 'cut' }, 'network_error'],
    ['F52: a header of 1 MB', { kind: 'huge-header' }, 'network_error'],
    ['F52: a header of 17 KiB', { kind: 'huge-header', bytes: 17 * 1024 }, 'network_error'],
    ['F52: 5,000 headers', { kind: 'many-headers' }, 'network_error'],
    ['F53: an SSH banner', { kind: 'not-http' }, 'network_error'],
    ['F53: HTTP/0.9', { kind: 'http-09' }, 'network_error'],
    ['F55: HTML declared as an image', { kind: 'type', contentType: 'image/png' }, 'unsupported_type'],
    ['F52: a header of 15 KiB is fine', { kind: 'huge-header', bytes: 15 * 1024 }, 'fetched'],
    ['an empty page is fine', { kind: 'empty' }, 'fetched'],
  ])('%s', async (_name, fault, code) => {
    sim.script('/web', [fault]);
    expect(await codeOf(create()(`${sim.url}/web/`, options()))).toBe(code);
  });

  test('F47: less declared than sent gives exactly the declared bytes', async () => {
    sim.script('/web', [{ kind: 'length-under' }]);
    const page = await create()(`${sim.url}/web/`, options());
    expect(Buffer.from(page.bytes).toString()).toBe(PAGE.slice(0, Math.floor(PAGE.length / 2)));
  });

  test('F55: a PDF declared as HTML is a PDF', async () => {
    const other = await startSim({
      upstreams: [
        {
          id: 'web',
          handle: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '%PDF-1.7\n' }),
        },
      ],
    });
    const fetch = create({ policy: createGuardPolicy({ allow: ['127.0.0.1'], ports: [other.port] }) });
    expect(await fetch(`${other.url}/web/`, options())).toMatchObject({ contentType: 'application/pdf' });
    await other.close();
  });

  test('with types any, an image is handed over', async () => {
    sim.script('/web', [{ kind: 'type', contentType: 'image/png' }]);
    expect(await create()(`${sim.url}/web/`, options({ types: 'any' }))).toMatchObject({
      contentType: 'image/png',
    });
  });

  test('F44: bombs end at 5 MiB without filling the memory', async () => {
    const fetch = create();
    sim.script('/web', [
      { kind: 'gzip-bomb', bytes: 16 * MIB },
      { kind: 'brotli-bomb', bytes: 16 * MIB },
    ]);
    // Warms up what the simulator, which lives in this process, needs itself.
    for (let count = 0; count < 2; count += 1) await codeOf(fetch(`${sim.url}/web/`, options()));
    sim.script('/web', [{ kind: 'gzip-bomb', bytes: 1024 * MIB }]);
    const before = process.memoryUsage().rss;
    expect(await codeOf(fetch(`${sim.url}/web/`, options()))).toBe('page_too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MIB);
    sim.script('/web', [{ kind: 'brotli-bomb' }]);
    expect(await codeOf(fetch(`${sim.url}/web/`, options()))).toBe('page_too_large');
  });

  test('F50: exactly 5 MiB pass, one byte more fails, an endless body is stopped', async () => {
    const fetch = create();
    sim.script('/web', [
      { kind: 'size', bytes: 5 * MIB },
      { kind: 'size', bytes: 5 * MIB + 1 },
      { kind: 'endless' },
    ]);
    expect((await fetch(`${sim.url}/web/`, options())).bytes).toHaveLength(5 * MIB);
    expect(await codeOf(fetch(`${sim.url}/web/`, options()))).toBe('page_too_large');
    expect(await codeOf(fetch(`${sim.url}/web/`, options()))).toBe('page_too_large');
    await expect.poll(() => sim.load.active).toBe(0);
  });
});

describe('F51: a slow page', () => {
  test.each<[string, Fault]>([
    ['that never begins', { kind: 'hang' }],
    ['whose head drips', { kind: 'drip-head', everyMs: 5 }],
    ['that sends interim answers for ever', { kind: 'interim-flood' }],
  ])('%s is ended by a deadline', async (_name, fault) => {
    const clock = createManualClock();
    sim.script('/web', [fault]);
    const outcome = failureOf(create({ clock })(`${sim.url}/web/`, options()));
    await expect.poll(() => sim.load.active).toBe(1);
    await clock.advance(29_000);
    expect(sim.load.active).toBe(1);
    await clock.advance(1_000);
    expect(await outcome).toMatchObject({
      code: 'upstream_timeout',
      message: 'The site did not answer completely within 30 s.',
    });
    await expect.poll(() => sim.load.active).toBe(0);
  });

  test('whose body drips is ended by the total', async () => {
    sim.script('/web', [{ kind: 'drip-body', everyMs: 2 }]);
    const outcome = await failureOf(create()(`${sim.url}/web/`, options({ timeoutMs: 150 })));
    expect(outcome?.message).toBe('The site did not answer completely within 0.15 s.');
    await expect.poll(() => sim.load.active).toBe(0);
  });
});

describe('F57: TLS', () => {
  test.each([
    ['expired', 'certificate has expired'],
    ['wrong-host', 'certificate is for another host'],
    ['old-version', 'TLS version'],
  ] as const)('%s is refused and named', async (tls, words) => {
    const secure = await startSecureSim(tls);
    const policy = createGuardPolicy({ allow: ['127.0.0.1'], ports: [secure.port] });
    const fetch = create({ policy, ca: secure.certificate });
    await expect(fetch(`${secure.url}/`, options())).rejects.toMatchObject({
      code: 'tls_error',
      message: expect.stringContaining(words) as string,
    });
    await secure.close();
  });

  test('self-signed is refused; with the authority trusted it is fetched', async () => {
    const secure = await startSecureSim('valid', [
      { id: 'web', handle: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: PAGE }) },
    ]);
    const policy = createGuardPolicy({ allow: ['127.0.0.1'], ports: [secure.port] });
    await expect(create({ policy })(`${secure.url}/web/`, options())).rejects.toMatchObject({
      code: 'tls_error',
      message: expect.stringContaining('self-signed') as string,
    });
    const trusting = create({ policy, ca: secure.certificate });
    expect(await trusting(`${secure.url}/web/`, options())).toMatchObject({ status: 200 });
    await secure.close();
  });

  test('a handshake that stalls is ended by the connect deadline', async () => {
    const clock = createManualClock();
    const secure = await startSecureSim('stall');
    const policy = createGuardPolicy({ allow: ['127.0.0.1'], ports: [secure.port] });
    const outcome = failureOf(create({ policy, clock })(`${secure.url}/`, options()));
    await clock.advance(5_000);
    expect(await outcome).toMatchObject({
      code: 'upstream_timeout',
      message: 'The site did not accept a connection within 5 s.',
    });
    await secure.close();
  });
});

describe('where a connection goes', () => {
  test('F41: the dialled address is the checked one, though the name changes its answer', async () => {
    for (const later of ['127.0.0.1', '10.0.0.1', '::1']) {
      let lookups = 0;
      const { dialled, fetch } = scripted(() => (lookups++ === 0 ? [PUBLIC] : [later]));
      expect(await codeOf(fetch('http://rebind.example.com/web/', options()))).toBe('fetched');
      expect([dialled, lookups]).toEqual([[PUBLIC], 1]);
    }
  });

  test('F41: a redirect to the same name looks it up and checks it again', async () => {
    let lookups = 0;
    const { dialled, fetch } = scripted(() => (lookups++ === 0 ? [PUBLIC] : ['127.0.0.1']));
    sim.script('/web', [{ kind: 'redirect', location: '/web/again' }]);
    expect(await codeOf(fetch('http://rebind.example.com/web/', options()))).toBe('blocked_host');
    expect(dialled).toEqual([PUBLIC]);
  });

  test('F42: one private answer among public ones refuses the name without a connection', async () => {
    const { dialled, fetch } = scripted(() => [PUBLIC, '10.0.0.1']);
    expect(await codeOf(fetch('http://mixed.example.com/', options()))).toBe('blocked_host');
    expect(dialled).toEqual([]);
  });

  test('a connection that went somewhere else is refused before anything is sent', async () => {
    const toSim: Connect = () =>
      new Promise((done) => {
        const socket = connect(sim.port, '127.0.0.1', () =>
          done({ socket, remoteAddress: socket.remoteAddress }),
        );
      });
    const fetch = create({ policy: createGuardPolicy(), resolve: async () => [PUBLIC], connect: toSim });
    expect(await codeOf(fetch('http://example.com/web/', options()))).toBe('blocked_host');
    expect(sim.requests).toHaveLength(0);
  });

  test('a name that the operator allows is looked up by the system and fetched', async () => {
    const fetch = create({ policy: createGuardPolicy({ allow: ['localhost'], ports: [sim.port] }) });
    expect(await codeOf(fetch(`http://localhost:${sim.port}/web/`, options()))).toBe('fetched');
    expect(await codeOf(create()(`http://localhost:${sim.port}/web/`, options()))).toBe('blocked_host');
  });

  test('when the first address does not answer, the next vetted one is tried', async () => {
    const tried: string[] = [];
    const second: Connect = ({ address }) => {
      tried.push(address);
      return new Promise((done, fail) => {
        if (tried.length === 1) fail(Object.assign(new Error('no route'), { code: 'ENETUNREACH' }));
        else {
          const socket = connect(sim.port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
        }
      });
    };
    const fetch = create({
      policy: createGuardPolicy(),
      resolve: async () => ['2a01:4f8::1', PUBLIC],
      connect: second,
    });
    expect(await codeOf(fetch('http://example.com/web/', options()))).toBe('fetched');
    expect(tried).toEqual(['2a01:4f8::1', PUBLIC]);
  });

  test('an address that swallows packets does not use up the time of the next, which is of the other kind', async () => {
    const clock = createManualClock();
    const tried: string[] = [];
    const silent: Connect = ({ address }, signal) => {
      tried.push(address);
      return new Promise((done, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason as Error));
        if (address !== PUBLIC) return;
        const socket = connect(sim.port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
      });
    };
    const addresses = ['2a01:4f8::1', '2a01:4f8::2', PUBLIC];
    const fetch = create({
      policy: createGuardPolicy(),
      resolve: async () => addresses,
      connect: silent,
      clock,
    });
    const fetching = codeOf(fetch('http://example.com/web/', options()));
    await clock.advance(1_500);
    expect(await fetching).toBe('fetched');
    expect(tried).toEqual(['2a01:4f8::1', PUBLIC]);
  });

  test('a name without an address is a network error that says so', async () => {
    const fetch = create({
      resolve: async () => {
        throw Object.assign(new Error('x'), { code: 'ENOTFOUND' });
      },
    });
    await expect(fetch('http://nowhere.example.com/', options())).rejects.toMatchObject({
      code: 'network_error',
      message: 'The site has no address in DNS (ENOTFOUND).',
    });
  });
});

describe('F43: redirects', () => {
  const follow = async (
    locations: string[],
    more: Partial<FetchOptions> = {},
    start = 'http://example.com/web/',
  ) => {
    const { dialled, fetch } = scripted(() => [PUBLIC]);
    sim.script(
      '/',
      locations.map((location) => ({ kind: 'redirect', location })),
    );
    return { dialled, page: await fetch(start, options(more)) };
  };

  test('three are followed and listed', async () => {
    const { page } = await follow(['/web/1', '//other.example.com/web/2', 'https://third.example.com/web/3']);
    expect(page.finalUrl).toBe('https://third.example.com/web/3');
    expect(page.redirects).toEqual([
      'http://example.com/web/1',
      'http://other.example.com/web/2',
      'https://third.example.com/web/3',
    ]);
  });

  test.each([
    ['four of them', ['/web/1', '/web/2', '/web/3', '/web/4'], 'redirect_refused'],
    ['a loop', ['/web/', '/web/', '/web/', '/web/', '/web/'], 'redirect_refused'],
    ['to a file', ['file:///etc/passwd'], 'invalid_url'],
    ['to a private address', ['http://10.0.0.1/'], 'blocked_host'],
    ['to another port', ['http://example.com:22/'], 'blocked_host'],
    ['with a backslash', ['/\\10.0.0.1/'], 'redirect_refused'],
  ])('%s is refused at the hop', async (_name, locations, code) => {
    expect(await codeOf(follow(locations))).toBe(code);
  });

  test('what the caller meant for one origin is not sent to another', async () => {
    await follow(['http://other.example.com/web/'], {
      headers: { authorization: 'Bearer secret', 'x-own': '1' },
    });
    expect(sim.requests.map(({ headers }) => [headers['authorization'], headers['x-own']])).toEqual([
      ['Bearer secret', '1'],
      [undefined, undefined],
    ]);
  });

  test('from https to http is refused when there are credentials', async () => {
    const start = 'https://example.com/web/';
    const withCredentials = follow(
      ['http://example.com/web/'],
      { headers: { authorization: 'Bearer secret' } },
      start,
    );
    expect(await codeOf(withCredentials)).toBe('redirect_refused');
    sim.reset();
    expect(await codeOf(follow(['http://example.com/web/'], {}, start))).toBe('fetched');
  });
});

describe('how many at a time', () => {
  test('F58: ten pages, one of each fault: each has its own code, three at a time', async () => {
    const faults: Fault[] = [
      { kind: 'pass' },
      { kind: 'status', status: 404 },
      { kind: 'gzip-cut' },
      { kind: 'type', contentType: 'video/mp4' },
      { kind: 'reset' },
      { kind: 'not-http' },
      { kind: 'redirect', location: 'http://10.0.0.1/' },
      { kind: 'size', bytes: 5 * MIB + 1 },
      { kind: 'hang' },
      { kind: 'delay', ms: 20 },
    ];
    faults.forEach((fault, index) => sim.script(`/web/${index}`, [fault]));
    // Each page has its own origin, so that only the caller's limit holds them back.
    const policy = createGuardPolicy({ allow: ['127.0.0.0/8'], ports: [sim.port] });
    const toSim: Connect = ({ address }) =>
      new Promise((done) => {
        const socket = connect(sim.port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
      });
    const fetch = create({ policy, connect: toSim });
    const codes = await Promise.all(
      faults.map(({ kind }, index) =>
        codeOf(
          fetch(
            `http://127.0.0.${index + 1}:${sim.port}/web/${index}`,
            options({ timeoutMs: kind === 'hang' ? 300 : 20_000 }),
          ),
        ),
      ),
    );
    expect(codes).toEqual([
      'fetched',
      'page_status',
      'network_error',
      'unsupported_type',
      'network_error',
      'network_error',
      'blocked_host',
      'page_too_large',
      'upstream_timeout',
      'fetched',
    ]);
    expect(sim.load.peak).toBeLessThanOrEqual(3);
    expect(sim.load.peak).toBeGreaterThan(1);
  });

  test('two at a time per origin, also for different callers', async () => {
    sim.script('/web', [{ kind: 'delay', ms: 20, times: 'always' }]);
    const fetch = create();
    const pages = ['a', 'b', 'c', 'd', 'e'].map((caller) => fetch(`${sim.url}/web/`, options({ caller })));
    await Promise.all(pages);
    expect(sim.load.peak).toBe(2);
  });

  test('a fetch that is cancelled ends at once, running or waiting, and frees its slot', async () => {
    sim.script('/web', [{ kind: 'hang', times: 2 }]);
    const fetch = create();
    const controller = new AbortController();
    const all = Array.from({ length: 4 }, () =>
      codeOf(fetch(`${sim.url}/web/`, options({ signal: controller.signal }))),
    );
    await expect.poll(() => sim.load.active).toBe(2);
    controller.abort();
    expect(await Promise.all(all)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    expect(await codeOf(fetch(`${sim.url}/web/`, options()))).toBe('fetched');
  });

  test('closing ends what runs', async () => {
    sim.script('/web', [{ kind: 'hang' }]);
    const guarded = createGuardedFetch({
      policy: createGuardPolicy({ allow: ['127.0.0.1'], ports: [sim.port] }),
      userAgent: 'x',
    });
    const fetching = codeOf(guarded.fetch(`${sim.url}/web/`, options()));
    await expect.poll(() => sim.load.active).toBe(1);
    await guarded.close();
    expect(await fetching).toBe('cancelled');
    await expect.poll(() => sim.load.active).toBe(0);
  });
});

describe('the rules of the caller', () => {
  const gate = {
    id: 'rules',
    check: ({ url }: Intent & { url?: URL }) => {
      if (url?.hostname.endsWith('denied.example') === true)
        throw new HeadgateError('policy_denied', 'It is denied.');
    },
    allows: () => true,
  };

  test('a denied name is not looked up, whatever its labels say', async () => {
    const asked: string[] = [];
    const { fetch, dialled } = scripted((host) => {
      asked.push(host);
      return [PUBLIC];
    });
    const secret = fetch('http://c2VjcmV0.denied.example/', options({ gate }));
    expect(await codeOf(secret)).toBe('policy_denied');
    expect([asked, dialled]).toEqual([[], []]);
  });

  test('nor at a redirect', async () => {
    const asked: string[] = [];
    const { fetch, dialled } = scripted((host) => {
      asked.push(host);
      return [PUBLIC];
    });
    sim.script('/web', [{ kind: 'redirect', location: 'http://x.denied.example/' }]);
    expect(await codeOf(fetch('http://open.example/web/', options({ gate })))).toBe('policy_denied');
    expect([asked, dialled]).toEqual([['open.example'], [PUBLIC]]);
  });
});
