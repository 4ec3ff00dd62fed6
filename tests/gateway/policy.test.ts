import { afterEach, describe, expect, test } from 'vitest';
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
  await gateway.engine.services.meter?.calls?.flush();
  const { body } = await gateway.admin('GET', '/calls?limit=1');
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
