import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerContract } from '../../src/contract/answer.ts';
import { createLogger } from '../../src/core/log.ts';
import { defineOperation, type Operation } from '../../src/operations/operation.ts';
import { createHttpApp } from '../../src/gateway/app.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** Secrets of every kind, put wherever a secret can come in; none may come out. */
const canary = (name: string): string => `CANARY${name}${'x7q9'.repeat(4)}`;
const OPERATOR = canary('operator');
const ODD = canary('odd-shape');

const lines: string[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  const log = createLogger({
    level: 'debug',
    write: (line) => void lines.push(line),
    now: () => 0,
    secrets: [OPERATOR, ODD],
  });
  gateway = await createTestGateway({
    log,
    config: {
      'providers.tavily.api_key': OPERATOR,
      'providers.brave.api_key': ODD,
      'search.provider': 'tavily',
      'cache.enabled': false,
    },
  });
});
afterAll(() => gateway.close());

test('F64: of 20 canary secrets none reaches a log, an answer, the admin API, an export or the database', async () => {
  const { key } = await gateway.newKey();
  const outputs: string[] = [];
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> => {
    const response = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
    outputs.push(await response.text(), JSON.stringify([...response.headers]));
  };
  const query = { query: 'tidal mills' };

  // Headers.
  await post('/search', query, { authorization: `Bearer ${canary('bearer')}` });
  await post('/search', query, { authorization: `Basic ${canary('basic')}` });
  await post('/search', query, { 'x-api-key': canary('x-api-key') });
  await post('/search', query, { cookie: `session=${canary('cookie')}` });
  await post('/search', query, { 'x-custom-token': canary('custom-header') });
  await post('/search', query, { 'x-session-id': canary('session'), 'x-human-id': canary('human') });
  // URLs.
  await post(`/search?api_key=${canary('url-key')}`, query);
  await post(`/${canary('path')}`, query);
  await post(`/mcp?tools=default&token=${canary('mcp-token')}`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  });
  // Bodies.
  await post('/search', { ...query, api_key: canary('body-key') });
  await post('/search', { ...query, apiKey: canary('body-camel') });
  await post('/search', { ...query, password: 'x', proxies: { https: `http://u:${canary('proxy')}@h` } });
  await post('/search', `{"query": "x", "api_key": "${canary('broken-json')}"`);
  await post('/extract', { urls: [`https://user:${canary('userinfo')}@gone.example/`] });
  await post('/feedback', { request_id: 'r', comment: canary('comment') });
  // Upstreams that repeat our key, in an error and in an answer.
  for (const status of [400, 401, 403, 429, 500]) {
    const body = JSON.stringify({ detail: { error: `The key ${OPERATOR} is not welcome.` } });
    gateway.sim.script('/tavily', [{ kind: 'status', status, body }]);
    await post('/search', { query: `upstream error ${status}` });
  }
  // Failures inside.
  const broken = defineOperation({
    contract: { ...answerContract, name: 'broken' },
    scope: 'search',
    webTools: [],
    run: async () => {
      throw new Error(`Bearer ${canary('panic')} and ${OPERATOR}`);
    },
  }) as Operation;
  const { app } = createHttpApp({ ...gateway.parts, operations: [broken] });
  const headers = { authorization: `Bearer ${key}` };
  const panic = await app.request('http://127.0.0.1/broken', {
    method: 'POST',
    headers,
    body: '{"query":"x"}',
  });
  expect(panic.status).toBe(500);
  outputs.push(await panic.text());

  for (const path of ['/config', '/providers', '/keys', '/calls', '/ledger', '/doctor'])
    outputs.push(JSON.stringify(await gateway.admin('GET', path)));
  const tables = ['api_keys', 'holds', 'ledger', 'workspaces', 'agents', 'idempotency'];
  for (const table of tables)
    outputs.push(JSON.stringify(await gateway.store.database.read(`SELECT * FROM ${table}`)));

  const leaks = (texts: string[]) => texts.flatMap((text) => /CANARY[\w-]+/.exec(text) ?? []);
  expect(lines.length).toBeGreaterThan(20);
  expect(leaks(lines)).toEqual([]);
  expect(leaks(outputs)).toEqual([]);
});
