import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { signInFindings } from '../../src/gateway/oauth/sign-in-findings.ts';
import { CLIENT_ID, startIdentityProvider, type TestProvider } from '../support/gateway/identity-provider.ts';

const GATE = 'https://gate.example';
let provider: TestProvider;
beforeAll(async () => {
  provider = await startIdentityProvider([`${GATE}/console/oidc/callback`]);
});
afterAll(() => provider.close());

async function findings(flags: Record<string, unknown>): Promise<string[]> {
  const { config } = loadConfig({ flags: { 'server.public_url': GATE, ...flags } });
  const engine = createEngine(config, { log: silentLogger });
  const found = await signInFindings(engine.services, new AbortController().signal);
  await engine.close();
  return found.map(({ level, text }) => `${level}: ${text}`);
}
const good = () => ({ 'auth.oidc.issuer': provider.url, 'auth.oidc.client_id': CLIENT_ID });

test('a good set-up has no problems, and nothing is asked without one', async () => {
  expect(await findings({ ...good(), 'auth.issuer': provider.url })).toEqual([
    `ok: ${provider.url} answers.`,
    `ok: the provider knows ${GATE}/console/oidc/callback.`,
    `ok: ${provider.url} answers.`,
  ]);
  expect(await findings({})).toEqual([]);
});

test.each<[string, () => Record<string, unknown>, RegExp]>([
  [
    'an issuer with another spelling',
    () => ({ 'auth.oidc.issuer': provider.url.replace('localhost', '127.0.0.1') }),
    /exactly as the metadata/,
  ],
  [
    'an issuer that does not answer',
    () => ({ 'auth.oidc.issuer': 'http://127.0.0.1:9' }),
    /problem: http:\/\/127/,
  ],
  [
    'an issuer that is something else',
    () => ({ 'auth.oidc.issuer': `${provider.url}/nothing` }),
    /metadata cannot be used/,
  ],
  [
    'another address',
    () => ({ 'server.public_url': 'https://other.example' }),
    /Register exactly https:\/\/other/,
  ],
  ['another ID', () => ({ 'auth.oidc.client_id': 'other' }), /check auth.oidc.client_id/],
  [
    'a server for tokens that does not answer',
    () => ({ 'auth.issuer': 'http://127.0.0.1:9' }),
    /problem: http:\/\/127/,
  ],
])('%s is named', async (_name, change, expected) => {
  const said = await findings({ ...good(), ...change() });
  expect(said.filter((line) => line.startsWith('problem'))).toHaveLength(1);
  expect(said.join('\n')).toMatch(expected);
});
