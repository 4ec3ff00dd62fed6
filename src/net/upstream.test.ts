import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../core/http.ts';
import { startSecureSim } from '../../tests/support/secure-sim.ts';
import { startSim, type Sim } from '../sim/server.ts';
import type { HeadgateError } from '../core/errors.ts';
import { isNothingSent } from './failure.ts';
import { isExempt } from './proxy.ts';
import { createUpstream, type SendOptions, type Upstream } from './upstream.ts';

const PAGE = '{"results":["ünïcode"]}';
let sim: Sim;
let upstream: Upstream;

beforeAll(async () => {
  sim = await startSim({
    upstreams: [
      {
        id: 'api',
        handle: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: PAGE }),
      },
    ],
  });
});
afterAll(() => sim.close());
beforeEach(() => {
  sim.reset();
  upstream = createUpstream();
});
afterEach(() => upstream.close());

const request = (path = '/api/search'): HttpRequest => ({ method: 'GET', url: sim.url + path, headers: {} });
const send = (options: Partial<SendOptions> = {}, path?: string) =>
  upstream.send(request(path), { signal: new AbortController().signal, provider: 'Example', ...options });

describe('an answer', () => {
  test('comes back as data with its status, headers and decoded body', async () => {
    sim.script('/api', [{ kind: 'gzip' }]);
    expect(await send()).toMatchObject({
      status: 200,
      body: PAGE,
      headers: { 'content-type': 'application/json' },
    });
  });

  test('with an error status or a redirect is data, not an exception, and is not followed', async () => {
    sim.script('/api', [
      { kind: 'status', status: 429, headers: { 'retry-after': '2' }, body: 'slow down' },
      { kind: 'redirect', location: '/elsewhere' },
    ]);
    expect(await send()).toMatchObject({ status: 429, headers: { 'retry-after': '2' }, body: 'slow down' });
    expect(await send()).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
    expect(sim.requests).toHaveLength(2);
  });

  test('sends method, headers and body as they are', async () => {
    await upstream.send(
      {
        method: 'POST',
        url: `${sim.url}/api/x?a=1`,
        headers: { authorization: 'Bearer k', 'x-a': 'b' },
        body: 'q=ü',
      },
      { signal: new AbortController().signal, provider: 'Example' },
    );
    expect(sim.requests[0]).toMatchObject({
      method: 'POST',
      body: 'q=ü',
      headers: { authorization: 'Bearer k', 'x-a': 'b' },
    });
  });

  test('F54: that is not UTF-8 is decoded as its header says, or as Latin-1, and never throws', async () => {
    const other = await startSim({
      upstreams: [
        {
          id: 'text',
          handle: ({ url }) => ({
            status: 200,
            headers: {
              'content-type': `text/plain${url.search === '' ? '' : `; charset=${url.search.slice(1)}`}`,
            },
            body: Buffer.from([0xe9, 0x20, 0xa4, 0xed, 0xa0, 0x80, 0x00]),
          }),
        },
      ],
    });
    const bodies = [];
    for (const charset of ['', '?iso-8859-15', '?utf-8', '?no-such-thing']) {
      const answer = await upstream.send(
        { method: 'GET', url: `${other.url}/text/${charset}`, headers: {} },
        { signal: new AbortController().signal, provider: 'Example' },
      );
      bodies.push(answer.body);
    }
    expect(bodies[0]).toMatch(/^é ¤í/);
    expect(bodies[1]).toContain('é €');
    expect(bodies[2]).toContain('\uFFFD');
    expect(bodies[3]).toBe(bodies[0]);
    expect(bodies.join('')).not.toMatch(/[\uD800-\uDFFF]/);
    await other.close();
  });
});

describe('a failure of the network', () => {
  test.each([
    ['F31: an empty body is data', { kind: 'empty' }, undefined],
    ['F46: a cut gzip is not a short answer', { kind: 'gzip-cut' }, 'network_error'],
    ['F46: a malformed gzip is refused', { kind: 'gzip-broken' }, 'network_error'],
    ['F45: two layers of gzip are refused', { kind: 'gzip-twice' }, 'upstream_bad_answer'],
    ['F47: a declared length longer than the body is refused', { kind: 'length-over' }, 'network_error'],
    ['F47: two lengths are refused', { kind: 'length-twice' }, 'network_error'],
    ['F47: a length with chunks is refused', { kind: 'length-and-chunked' }, 'network_error'],
    ['F48: a bad chunk is refused', { kind: 'bad-chunk' }, 'network_error'],
    ['F48: a cut chunk is refused', { kind: 'cut-chunk' }, 'network_error'],
    ['F49: a reset in the middle is refused', { kind: 'reset' }, 'network_error'],
    ['F49: a cut body is refused', { kind: 'cut' }, 'network_error'],
    ['F52: a header of a megabyte is refused', { kind: 'huge-header' }, 'network_error'],
    ['F53: a banner that is not HTTP is refused', { kind: 'not-http' }, 'network_error'],
    ['F53: an answer without a head is refused', { kind: 'http-09' }, 'network_error'],
  ] as const)('%s', async (_name, fault, code) => {
    sim.script('/api', [fault]);
    const outcome = await send().then(
      () => undefined,
      (thrown: { code: string }) => thrown.code,
    );
    expect(outcome).toBe(code);
  });

  test('F31, F44: 50 MB, a gzip bomb and an endless body end at the limit with a typed error', async () => {
    sim.script('/api', [
      { kind: 'size', bytes: 50_000_000 },
      { kind: 'gzip-bomb' },
      { kind: 'brotli-bomb' },
      { kind: 'endless' },
    ]);
    const before = process.memoryUsage().rss;
    for (let count = 0; count < 4; count += 1) {
      await expect(send()).rejects.toMatchObject({ code: 'upstream_bad_answer', provider: 'Example' });
    }
    // The simulator runs in this process too and holds 50 MB + 64 MB of its own.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  test('exactly the limit passes, one byte more does not', async () => {
    sim.script('/api', [
      { kind: 'size', bytes: 1_000 },
      { kind: 'size', bytes: 1_001 },
    ]);
    expect((await send({ bytesMax: 1_000 })).body).toHaveLength(1_000);
    await expect(send({ bytesMax: 1_000 })).rejects.toMatchObject({ code: 'upstream_bad_answer' });
  });

  test('F32: an upstream that is too slow is a timeout, and its socket is closed', async () => {
    sim.script('/api', [{ kind: 'hang' }]);
    const started = performance.now();
    await expect(send({ timeoutMs: 150 })).rejects.toMatchObject({
      code: 'upstream_timeout',
      message: 'Example did not answer within 0.15 s.',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    await expect.poll(() => sim.load.active).toBe(0);
  });

  test('F51: a body that drips is ended by the deadline', async () => {
    sim.script('/api', [
      { kind: 'drip-body', everyMs: 40 },
      { kind: 'drip-head', everyMs: 40 },
      { kind: 'interim-flood' },
    ]);
    for (let count = 0; count < 3; count += 1) {
      await expect(send({ timeoutMs: 150 })).rejects.toMatchObject({ code: 'upstream_timeout' });
    }
  });

  test('nobody listens: the message says so', async () => {
    const closed = await startSim({ upstreams: [] });
    await closed.close();
    const sending = upstream.send(
      { method: 'GET', url: `${closed.url}/`, headers: {} },
      { signal: new AbortController().signal, provider: 'Example' },
    );
    await expect(sending).rejects.toMatchObject({
      code: 'network_error',
      message: 'Example refused the connection (ECONNREFUSED).',
    });
  });

  test.each([
    ['valid', 'self-signed'],
    ['expired', 'expired'],
    ['old-version', 'TLS version'],
  ] as const)('F57: TLS %s without our trust is refused and named', async (tls, words) => {
    const secure = await startSecureSim(tls);
    const sending = upstream.send(
      { method: 'GET', url: `${secure.url}/`, headers: {} },
      { signal: new AbortController().signal, provider: 'Example' },
    );
    await expect(sending).rejects.toMatchObject({
      code: 'tls_error',
      message: expect.stringContaining(words) as string,
    });
    await secure.close();
  });
});

describe('cancellation', () => {
  test('an aborted call is cancelled and its socket is closed', async () => {
    sim.script('/api', [{ kind: 'hang' }]);
    const controller = new AbortController();
    const sending = send({ signal: controller.signal });
    await expect.poll(() => sim.load.active).toBe(1);
    controller.abort();
    await expect(sending).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => sim.load.active).toBe(0);
  });

  test('a signal that is already aborted sends nothing', async () => {
    await expect(send({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    expect(sim.requests).toHaveLength(0);
  });
});

test('F33: with 200 calls into an upstream that never answers, the cap holds and another upstream is not affected', async () => {
  sim.script('/api', [{ kind: 'hang', times: 'always' }]);
  const other = await startSim({ upstreams: [{ id: 'api', handle: () => ({ status: 200, body: 'well' }) }] });
  const stuck = Array.from({ length: 200 }, () =>
    send({ timeoutMs: 3_000 }).catch((thrown: { code: string }) => thrown.code),
  );
  await expect.poll(() => sim.load.active).toBe(64);
  const answer = await upstream.send(
    { method: 'GET', url: `${other.url}/api/`, headers: {} },
    { signal: new AbortController().signal, provider: 'Other' },
  );
  expect(answer.body).toBe('well');
  // None of the others has been given up, so it did not wait for one.
  expect(sim.load.active).toBe(64);
  expect(new Set(await Promise.all(stuck))).toEqual(new Set(['upstream_timeout']));
  expect(sim.load.peak).toBe(64);
  await other.close();
});

describe('a proxy', () => {
  let tunnels: string[] = [];
  let heads: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const target = /^CONNECT (\S+)/.exec(head.toString())?.[1] ?? '';
      tunnels.push(target);
      heads.push(head.toString());
      if (target.startsWith('refused.example')) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const [host = '', port = ''] = target.split(':');
      const tunnel = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      sockets.add(tunnel);
      tunnel.on('error', () => {});
      socket.pipe(tunnel).pipe(socket);
    });
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  beforeEach(() => {
    tunnels = [];
    heads = [];
  });

  test('that is configured is used', async () => {
    await upstream.close();
    upstream = createUpstream({ proxy: { http: url } });
    expect((await send()).body).toBe(PAGE);
    expect(tunnels).toEqual([new URL(sim.url).host]);
  });

  test('is not used for another scheme or for an exempted host', async () => {
    for (const settings of [{ https: url }, { http: url, noProxy: '127.0.0.1' }]) {
      await upstream.close();
      upstream = createUpstream({ proxy: settings });
      expect((await send()).body).toBe(PAGE);
    }
    expect(tunnels).toEqual([]);
  });

  test('is told its credentials, and never sees what goes through a tunnel', async () => {
    await upstream.close();
    upstream = createUpstream({ proxy: { http: url.replace('//', '//us%40er:pa%3Ass@') } });
    expect((await send()).body).toBe(PAGE);
    expect(heads[0]).toContain(`proxy-authorization: Basic ${btoa('us@er:pa:ss')}`);
    expect(heads[0]).not.toContain('/api/search');
  });

  test('is a tunnel for https, whose certificate is checked', async () => {
    const secure = await startSecureSim('valid');
    await upstream.close();
    upstream = createUpstream({ proxy: { https: url } });
    const sending = upstream.send(
      { method: 'GET', url: `${secure.url}/`, headers: {} },
      { signal: new AbortController().signal, provider: 'Example' },
    );
    await expect(sending).rejects.toMatchObject({ code: 'tls_error' });
    expect(tunnels).toEqual([new URL(secure.url).host]);
    await secure.close();
  });

  test('that refuses is named, and nothing was sent', async () => {
    await upstream.close();
    upstream = createUpstream({ proxy: { http: url } });
    const thrown: unknown = await upstream
      .send(
        { method: 'GET', url: 'http://refused.example/', headers: {} },
        { signal: new AbortController().signal, provider: 'Example' },
      )
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: expect.stringContaining('through the proxy') as string });
    expect(isNothingSent(thrown as HeadgateError)).toBe(true);
  });

  test.each([
    ['api.example', 'api.example', true],
    ['api.example', 'example', false],
    ['api.example', '.example', true],
    ['api.example', 'other, *.example', true],
    ['api.example', '*', true],
    ['api.example:8080', 'api.example:80', false],
    ['api.example:8080', 'api.example:8080', true],
    ['api.example', '', false],
  ])('whether %s is exempted by "%s"', (host, noProxy, expected) => {
    expect(isExempt(new URL(`http://${host}/`), noProxy)).toBe(expected);
  });
});
