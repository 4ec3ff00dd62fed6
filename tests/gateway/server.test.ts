import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger, type Logger } from '../../src/core/log.ts';
import { defineOperation, type Operation } from '../../src/operations/operation.ts';
import { startHttp, type RunningHttp } from '../../src/gateway/server.ts';
import { until } from '../support/until.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
let http: RunningHttp;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'cache.enabled': false } });
  http = await gateway.listen();
  await search('warm up');
});
afterAll(() => gateway.close());

const search = (query: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${http.url}/search`, {
    method: 'POST',
    body: JSON.stringify({ query }),
    ...(signal === undefined ? {} : { signal }),
  });

describe('F60: hostile clients', () => {
  test('a body that announces 100 MB is refused without being read', async () => {
    const before = process.memoryUsage.rss();
    const answer = await raw(
      `POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${100 * 1024 * 1024}\r\n\r\n{"query":"`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(process.memoryUsage.rss() - before).toBeLessThan(80 * 1024 * 1024);
  });

  test('a body without a length is cut off at the limit', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const answer = await raw(
      `POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...Array.from({ length: 20 }, () => chunk),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('JSON of 10,000 levels is refused, and the gateway lives', async () => {
    const deep = `{"query":"mills","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    const response = await fetch(`${http.url}/search`, { method: 'POST', body: deep });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { detail: { error: expect.stringContaining('nested deeper') as string } },
    ]);
    expect((await search('still alive')).status).toBe(200);
  });

  test('a message of 10,000 levels or a million fields is refused by /mcp, before any tool sees it', async () => {
    const call = (input: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"web_search","arguments":${input}}}`;
    for (const [input, words] of [
      [`{"query":"mills","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'nested deeper'],
      [`{"query":"mills","x":[${'1,'.repeat(100_000)}1]}`, 'fields'],
      [`{"query":"mills","x":[${'{"a":1},'.repeat(40_000)}1]}`, 'fields'],
    ] as const) {
      const response = await gateway.post('/mcp', call(input), {
        accept: 'application/json, text/event-stream',
      });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: expect.stringContaining(words) as string } },
      ]);
    }
    expect((await search('still alive')).status).toBe(200);
  });

  test.each(['', 'not json', '[]', '"text"', 'null', '{"query":'])(
    'the body %j is refused with 400',
    async (body) => {
      const response = await gateway.post('/search', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toHaveProperty('detail.error');
    },
  );

  test('headers beyond the limit are refused', async () => {
    const answer = await raw(
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Padding: ${'a'.repeat(LIMITS.requestHeaderBytesMax + 1_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('a client that sends its headers one by one for ever is cut off', async () => {
    const slow = await createTestGateway({ config: { 'server.client_timeout_ms': 200 } });
    const server = await slow.listen();
    const answer = await raw.at(server.url, 'POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le');
    await slow.close();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a client that announces a body and never finishes it is cut off, and nothing is asked for it', async () => {
    const slow = await createTestGateway({ config: { 'server.client_timeout_ms': 200 } });
    const server = await slow.listen();
    const started = performance.now();
    await raw.at(
      server.url,
      'POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"query":"mi',
    );
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(slow.sim.requests).toEqual([]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await slow.close();
  });
});

describe('F60: clients that do not read', () => {
  const LENGTH = 64 * 1024 * 1024;
  /** More than any socket buffers. */
  const large = defineOperation({
    contract: {
      name: 'large',
      title: 'Large',
      description: 'Answers at length.',
      input: z.object({}),
      output: z.object({ text: z.string() }),
    },
    scope: 'search',
    webTools: [],
    run: async () => ({ text: 'a'.repeat(LENGTH) }),
  }) as Operation;

  async function ask(log: Logger, timeoutMs = 200) {
    const one = await createTestGateway({ config: { 'server.client_timeout_ms': timeoutMs } });
    const services = { ...one.parts.services, log };
    const server = await startHttp({ ...one.parts, services, operations: [large] });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write('POST /large HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}');
    const close = async () => {
      socket.destroy();
      await server.close();
      await one.close();
    };
    return { socket, close };
  }

  test('one that takes nothing of its answer is cut off within its time, and what it got is not the answer', async () => {
    const events: string[] = [];
    const log = { ...silentLogger, info: (event: string) => void events.push(event) };
    const { socket, close } = await ask(log);
    await until(() => events.includes('client_cut_off'));
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    await once(socket, 'close');
    expect(received).toBeLessThan(LENGTH);
    await close();
  });

  test('one that reads slowly gets all of it', async () => {
    const timeoutMs = 700;
    const { socket, close } = await ask(silentLogger, timeoutMs);
    const started = performance.now();
    let received = 0;
    while (received < LENGTH && !socket.destroyed) {
      const chunk = socket.read() as Buffer | null;
      received += chunk?.length ?? 0;
      // Four times the client's time for the whole, and a little of it between two reads.
      const isAhead = received / LENGTH > (performance.now() - started) / (4 * timeoutMs);
      await wait(isAhead ? 20 : 0);
    }
    expect(received).toBeGreaterThanOrEqual(LENGTH);
    expect(performance.now() - started).toBeGreaterThan(2 * timeoutMs);
    await close();
  });
});

describe('F66: stopping under load', () => {
  test('calls that run are answered, new ones are not taken, and nothing is left', async () => {
    const one = await createTestGateway({ config: { 'cache.enabled': false } });
    const running = await one.listen();
    const ask = (query: string): Promise<number | string> =>
      fetch(`${running.url}/search`, { method: 'POST', body: JSON.stringify({ query }) }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => 'refused',
      );
    expect(await ask('first')).toBe(200);
    one.sim.script('/duckduckgo', [{ kind: 'delay', ms: 500, times: 20 }]);
    const calls = Array.from({ length: 20 }, (_, index) => ask(`call ${index}`));
    await until(() => one.sim.requests.length === 21);
    const started = performance.now();
    const closing = running.close();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await ask('too late')).toBe('refused');
    await closing;
    expect(performance.now() - started).toBeLessThan(10_000);
    await one.close();
  });

  test('who listens everywhere says an address that can be opened', async () => {
    const one = await createTestGateway({ config: { 'server.host': '0.0.0.0', 'server.keyless': true } });
    const running = await one.listen();
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await running.close();
    await one.close();
  });

  test('a call that does not end in time is ended', async () => {
    const one = await createTestGateway({ config: { 'server.drain_seconds': 0 } });
    const running = await one.listen();
    one.sim.script('/duckduckgo', [{ kind: 'hang', times: 'always' }]);
    const call = fetch(`${running.url}/search`, { method: 'POST', body: '{"query":"hang"}' }).then(
      (response) => response.status,
      () => 'cut',
    );
    await until(() => one.sim.load.active === 1);
    await running.close();
    expect([499, 503, 'cut']).toContain(await call);
    await until(() => one.sim.load.active === 0);
    await one.close();
  });

  test('a gateway that is stopping says so to whoever sends it work', async () => {
    const one = await createTestGateway();
    const ready = () => one.app.request('http://127.0.0.1/readyz');
    expect([(await ready()).status, await (await ready()).json()]).toEqual([200, { status: 'ready' }]);
    one.world.openRequests.drain();
    expect([(await ready()).status, await (await ready()).json()]).toEqual([503, { status: 'draining' }]);
    expect((await one.app.request('http://127.0.0.1/healthz')).status).toBe(200);
    await one.close();
  });
});

const raw = Object.assign((...parts: string[]): Promise<string> => raw.at(http.url, ...parts), {
  /** Sends bytes and reads until the other side closes. */
  at: async (url: string, ...parts: string[]): Promise<string> => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    // The other side may stop reading before we stop sending; its answer is what counts.
    socket.on('error', () => undefined);
    for (const part of parts) socket.write(part);
    await once(socket, 'close');
    return text;
  },
});
