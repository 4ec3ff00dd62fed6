import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkHost } from '../../src/gateway/door/host-rules.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({
    config: { 'server.origins': 'https://app.example', 'server.hosts': 'gate.example' },
  });
});
afterAll(() => gateway.close());

describe('F61: who may reach the gateway from where', () => {
  test.each([
    ['its own address', { host: '127.0.0.1:8787' }, 200],
    ['localhost', { host: 'localhost:8787' }, 200],
    ['a name of the operator', { host: 'gate.example' }, 200],
    ['a name that somebody else points here', { host: 'evil.example' }, 403],
    ['an address that is not this machine', { host: '203.0.113.9' }, 403],
    ['a host that is none', { host: 'a b' }, 403],
    ['no origin', {}, 200],
    ['the same origin', { host: '127.0.0.1:8787', origin: 'http://127.0.0.1:8787' }, 200],
    ['an origin of the operator', { origin: 'https://app.example' }, 200],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['the null origin', { origin: 'null' }, 403],
    ['another port of this machine', { host: '127.0.0.1:8787', origin: 'http://127.0.0.1:3000' }, 403],
  ])('%s gets %3$s', async (_name, headers, expected) => {
    gateway.sim.reset();
    const response = await gateway.post('/search', { query: `mills ${JSON.stringify(headers)}` }, headers);
    expect(response.status).toBe(expected);
    expect(gateway.sim.requests.length > 0).toBe(expected === 200);
  });

  test('nothing of the body is read before', async () => {
    const response = await gateway.post('/search', 'not json at all', { host: 'evil.example' });
    expect(response.status).toBe(403);
  });

  test('a page of the operator may call from a browser; no other learns more than 403', async () => {
    const preflight = (origin: string) =>
      gateway.app.request('http://127.0.0.1/search', { method: 'OPTIONS', headers: { origin } });
    const allowed = await preflight('https://app.example');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://app.example',
    ]);
    const refused = await preflight('https://evil.example');
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test('on a public address an IP address is a fine name, another name is not', () => {
    const rules = { host: '0.0.0.0', hosts: [], origins: [] };
    expect(() => checkHost(rules, { host: '203.0.113.9:8787' })).not.toThrow();
    expect(() => checkHost(rules, { host: '[2001:db8::1]:8787' })).not.toThrow();
    expect(() => checkHost(rules, { host: 'evil.example' })).toThrow(/Host header/);
    expect(() => checkHost({ ...rules, hosts: ['*'] }, { host: 'any.example' })).not.toThrow();
  });
});
