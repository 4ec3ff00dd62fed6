import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { SURFACES, type Surface } from '../../src/core/call-row.ts';
import { createHeadgate } from '../../src/index.ts';
import type { LoggedCall } from '../../src/store/calls.ts';
import { signUp } from '../support/console/user.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';

const TAVILY = { 'providers.tavily.api_key': 'tvly-test', 'search.provider': 'tavily' };

test('a call of every surface is a row, in one store that all of them share', async () => {
  const gateway = await createTestGateway({ config: TAVILY, web: 'guarded' });
  const { key } = await gateway.newKey({ scopes: ['search', 'extract', 'research'] });
  const { home, sim } = gateway;
  const as = (surface: Surface): string => `mills by ${surface}`;
  const bearer = { authorization: `Bearer ${key}` };
  const json = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
  const toolCall = (surface: Surface) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'web_search', arguments: { query: as(surface) } },
  });
  // A limit per day is what makes a local user's calls count, and so gives them a store.
  const local = {
    ...TAVILY,
    'providers.tavily.base_url': `${sim.url}/tavily`,
    'guard.allow': '127.0.0.1',
    'guard.ports': String(sim.port),
    'limits.calls_per_day': '100',
    'library.index_project': 'false',
  };
  const env = Object.fromEntries(
    Object.entries(local).map(([name, value]) => [
      `HEADGATE_${name.replaceAll('.', '__').toUpperCase()}`,
      value,
    ]),
  );
  const headgate = async (argv: string[], input?: object) => {
    const stdin = new PassThrough();
    if (input === undefined) stdin.end();
    else stdin.write(`${JSON.stringify(input)}\n`);
    const heard = (out: string): void => void (out.includes('"id":1') && stdin.end());
    const { code, err } = await runHeadgate(argv, { home, env, stdin, heard });
    expect([argv[0], code, err]).toEqual([argv[0], 0, '']);
  };
  const atGateway: Partial<Record<Surface, () => Promise<unknown>>> = {
    http: () => gateway.post('/search', { query: as('http') }, bearer),
    mcp: async () => (await gateway.post('/mcp', toolCall('mcp'), { ...bearer, ...json })).text(),
    console: async () => {
      const user = await signUp(gateway, 'correct horse battery');
      return (await user.ask('POST', '/console/run/search', { input: { query: as('console') } })).text();
    },
    research: async () => {
      const request = { input: as('research'), model: 'mini', stream: true };
      return (await gateway.post('/research', request, bearer)).text();
    },
  };
  const locally: Partial<Record<Surface, () => Promise<unknown>>> = {
    stdio: () => headgate(['mcp'], toolCall('stdio')),
    cli: () => headgate(['search', as('cli')]),
    library: () => headgate(['library', 'add', `${sim.url}/web/plain`]),
    sdk: async () => {
      const sdk = createHeadgate({ config: { ...local, 'limits.calls_per_day': 100 }, home });
      await sdk.search({ query: as('sdk') });
      await sdk.close();
    },
  };
  expect([...Object.keys(atGateway), ...Object.keys(locally)].toSorted()).toEqual(SURFACES.toSorted());
  try {
    for (const call of Object.values(atGateway)) await call();
    await gateway.stop();
    for (const call of Object.values(locally)) await call();
    for (const surface of SURFACES) {
      const { out } = await runHeadgate(['calls', '--filter', `surface=${surface}`, '--json'], { home });
      const { calls } = JSON.parse(out) as { calls: LoggedCall[] };
      expect(calls.map((call) => `${call.surface} ${call.outcome}`)).toContain(`${surface} ok`);
    }
  } finally {
    await gateway.close();
  }
}, 60_000);
