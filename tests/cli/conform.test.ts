import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHeadgate } from '../support/cli.ts';
import { sized } from '../support/sized.ts';
import {
  SEARXNG_DEVIATIONS,
  TAVILY_DEVIATIONS,
  type Answer,
  type Deviation,
  type Json,
} from '../support/gateway/deviations.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

interface Row {
  check: string;
  result: string;
  came: string;
}

const home = mkdtempSync(join(tmpdir(), 'headgate-conform-'));
const servers: Server[] = [];
let gateway: TestGateway;
let key: string;
let url: string;
/** What the server in front of ours does to some answers. */
let deviation: ((answer: Answer, sent: Json, path: string) => void) | undefined;
/** Ours, asked once: a wrong server differs from it in one thing only. */
const ours = new Map<string, Answer>();

beforeAll(async () => {
  gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-operator', 'search.provider': 'tavily' },
  });
  const made = await gateway.newKey({ tier: 'pro' });
  key = made.key;
  await gateway.store.accounts.topUp({ subscription: made.subscription, amount: 100_000_000 });
  url = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = { ...(await answerOf(request, body)) };
    deviation?.(answer, sentIn(request, body), request.url?.split('?')[0] ?? '');
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
  });
});
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await gateway.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answerOf(request: IncomingMessage, body: string): Promise<Answer> {
  const name = `${request.method} ${request.url} ${request.headers.authorization} ${body}`;
  const known = ours.get(name);
  if (known !== undefined) return known;
  const response = await gateway.app.request(`http://127.0.0.1${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(request.headers).map(([header, value]) => [header, String(value)]),
    ...(request.method === 'GET' ? {} : { body }),
  });
  const answer = {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
  if (answer.status !== 202) ours.set(name, answer);
  return answer;
}

function sentIn(request: IncomingMessage, body: string): Json {
  const query = new URL(request.url ?? '', url).searchParams;
  const isJson = body.startsWith('{') && body.endsWith('}');
  return {
    ...Object.fromEntries(query),
    ...(isJson ? (JSON.parse(body) as Json) : {}),
    headers: request.headers,
  };
}

async function conform(api: string, address: string, ...flags: string[]) {
  const ran = await runHeadgate(
    [
      'conform',
      api,
      '--base-url',
      address,
      '--json',
      ...(flags.includes('--timeout') ? [] : ['--timeout', '5']),
      ...flags,
    ],
    { home },
  );
  const report = JSON.parse(ran.out) as { checks: Row[]; calls: number };
  return { ...ran, ...report, failed: report.checks.filter(({ result }) => result === 'fail') };
}

async function findsEach(api: string, deviations: Deviation[]): Promise<void> {
  const areas = sized('areas of the kit that are run against each deviation', {
    small: 1,
    large: 9,
    full: 9,
  });
  for (const [says, found, path, isMeant, change] of deviations) {
    deviation = (answer, sent, at) => {
      if (at.startsWith(path) && isMeant(sent)) change(answer);
    };
    const only = areas === 1 ? ['--only', ...found.split('.', 1)] : [];
    const { code, failed } = await conform(api, url, '--key', key, ...only);
    expect([says, code, failed.map(({ check }) => check)]).toEqual([says, 1, [found]]);
  }
  deviation = undefined;
}

describe('headgate conform tavily', () => {
  test('finds nothing wrong with ours, and says before what it will do', async () => {
    const ran = await conform('tavily', url, '--key', key);
    expect(ran.failed).toEqual([]);
    expect(ran.checks.filter(({ result }) => result !== 'pass')).toEqual([]);
    expect([ran.code, ran.checks.length > 200]).toEqual([0, true]);
    expect(ran.err).toMatch(/^Tavily’s API at http:\/\/127\.0\.0\.1:\d+: \d\d calls .* credits at Tavily/);
    expect(ran.out + ran.err).not.toContain(key);
  }, 60_000);

  test('finds every seeded deviation by the check that is about it, and nothing else', async () => {
    expect(TAVILY_DEVIATIONS.length).toBeGreaterThanOrEqual(20);
    await findsEach('tavily', TAVILY_DEVIATIONS);
  }, 240_000);

  test('without a key skips what is about keys', async () => {
    const { checks, code } = await conform('tavily', url, '--only', 'key');
    expect([code, new Set(checks.map(({ result, came }) => `${result}: ${came}`))]).toEqual([
      0,
      new Set(['skipped: needs --key']),
    ]);
  });

  test('with --dry-run makes no call, and with --only and --skip fewer', async () => {
    const { out, err, code } = await runHeadgate(
      ['conform', 'tavily', '--base-url', 'http://127.0.0.1:9', '--dry-run', '--only', 'research.completed'],
      { home },
    );
    expect([code, err]).toEqual([0, expect.stringContaining('2 calls')]);
    expect(out).toContain('GET /research/{research}?include_usage=true');
    const skipped = await conform('tavily', url, '--key', key, '--only', 'map', '--skip', 'map.refused');
    expect([skipped.code, skipped.calls]).toEqual([0, 1]);
  });

  test.each([
    [['--base-url', 'ftp://x'], 'not an http(s) address'],
    [[], '--base-url is missing'],
    [['--base-url', 'http://127.0.0.1:9', '--timeout', '0'], '--timeout'],
    [['--base-url', 'http://127.0.0.1:9', '--only', 'nothing'], 'No check has such a name'],
    [['--base-url', 'http://127.0.0.1:9', '--key-env', 'NOT_SET'], 'NOT_SET is not set'],
  ])('%j is a usage error', async (flags, says) => {
    const { code, err } = await runHeadgate(['conform', 'tavily', ...flags], { home });
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('headgate conform searxng', () => {
  test('finds nothing wrong with ours, with the key as password or in the address', async () => {
    const ran = await conform('searxng', url, '--key', key);
    expect(ran.checks.filter(({ result }) => result !== 'pass')).toEqual([]);
    expect([ran.code, ran.checks.length > 50]).toEqual([0, true]);
    const inAddress = await conform(
      'searxng',
      url.replace('//', `//headgate:${key}@`),
      '--only',
      'search.form',
    );
    expect([inAddress.code, inAddress.out + inAddress.err]).toEqual([0, expect.not.stringContaining(key)]);
  }, 60_000);

  test('finds every seeded deviation by the check that is about it, and nothing else', async () => {
    expect(SEARXNG_DEVIATIONS.length).toBeGreaterThanOrEqual(8);
    await findsEach('searxng', SEARXNG_DEVIATIONS);
  }, 240_000);
});

/** Servers that would crash, fill or hold up a careless client. */
const HOSTILE: [says: string, listener: RequestListener, came: RegExp][] = [
  ['says nothing', () => undefined, /^no whole answer within 1 s$/],
  [
    'drips',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    },
    /^no whole answer within 1 s$/,
  ],
  [
    'never stops',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        if (!response.destroyed && response.write(' '.repeat(1_000_000))) setImmediate(more);
      };
      response.on('drain', more);
      more();
    },
    // On a busy machine the time is over first.
    /^(an answer of more than 10 MB|no whole answer within 1 s)$/,
  ],
  ['hangs up', (request) => void request.socket.destroy(), /^no answer: /],
  [
    'answers with a page',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello\u001b[2J</h1>'),
    /^HTTP 200, text\/html: <h1>Hello\[2J<\/h1>$/,
  ],
  [
    'answers with half of the JSON',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"query":'),
    /^HTTP 200, application\/json: \{"query":$/,
  ],
  [
    'nests',
    (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('['.repeat(50_000) + ']'.repeat(50_000)),
    /^HTTP 200, application\/json: \[\[/,
  ],
  [
    'leads away',
    (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    /^HTTP 307, no type/,
  ],
  [
    'repeats the key',
    (request, response) =>
      void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ detail: { error: `Bad ${'x'.repeat(40)}${request.headers.authorization}` } })),
    /^HTTP 400, .*Bad x+Bearer \[redacted\]/,
  ],
  [
    'answers with nothing in it',
    (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('null'),
    /^missing$/,
  ],
];

describe('a server that', () => {
  test.each(HOSTILE)('%s fails its check, and the kit goes on', async (_says, listener, came) => {
    const address = await serve(listener);
    const secret = 'k3y';
    const ran = await conform(
      'tavily',
      address,
      '--key',
      secret,
      '--timeout',
      '1',
      '--only',
      'search.options',
    );
    expect([ran.code, ran.failed[0]?.came]).toEqual([1, expect.stringMatching(came)]);
    expect(ran.out + ran.err).not.toContain(secret);
  });

  test('is silent is not asked more than three times, and a run can be cancelled', async () => {
    const address = await serve((request) => void request.socket.destroy());
    const { calls, failed, checks } = await conform('tavily', address, '--only', 'search');
    expect([calls, failed.length, checks.length > 20]).toEqual([3, 3, true]);
    const hanging = await serve(() => undefined);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const ran = await runHeadgate(['conform', 'tavily', '--base-url', hanging], {
      home,
      signal: stop.signal,
    });
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('Cancelled.')]);
  });
});
