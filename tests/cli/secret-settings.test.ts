import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { configRows } from '../../src/config/rows.ts';
import { isSecret, secretsOf, settingAt } from '../../src/config/secrets.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-secrets-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const keys = configRows(loadConfig({}).config, {}).map(({ key }) => key);
const secrets = keys.filter((key) => isSecret(settingAt(key.split('.'))));
const variable = (key: string): string => `HEADGATE_${key.toUpperCase().replaceAll('.', '__')}`;
const canary = (key: string): string => `CANARY-${key.replaceAll(/[._]/g, '-')}-x7q9`;

/** A password in each setting that is an address. */
const ADDRESSES = {
  'network.http_proxy': 'http://operator:CANARY-proxy@proxy.example:3128',
  'network.https_proxy': 'http://CANARY-user-alone@proxy.example:3128',
  'providers.searxng.base_url': 'https://reader:CANARY-searxng@searx.example',
};

describe('what the schema marks as secret', () => {
  test('is everything that is named so', () => {
    const named = keys.filter((key) => /key|token|secret|password|pepper|headers/.test(key));
    // Words that only contain one of these.
    const others = named.filter((key) => !secrets.includes(key) && !key.includes('keyless'));
    expect(others).toEqual([
      'policy.secrets',
      'server.provider_keys_file',
      'server.key_in_path',
      'auth.passwords',
      'model.max_output_tokens',
    ]);
    expect(secrets).toContain('store.url');
  });

  test('is not what is only named like one', async () => {
    const { out } = await runHeadgate(['config', '--json'], { home });
    const rows = JSON.parse(out) as { key: string; value: string }[];
    expect(rows.find(({ key }) => key === 'model.max_output_tokens')?.value).toBe('4000');
  });

  test('is hidden in logs and answers of providers, with the credentials of every address', () => {
    const flags = Object.fromEntries([
      ...secrets.map((key) => [key, key === 'telemetry.otlp_headers' ? `x-key=${canary(key)}` : canary(key)]),
      ...Object.entries(ADDRESSES),
    ]) as Record<string, unknown>;
    const hidden = secretsOf(loadConfig({ flags }).config);
    expect(secrets.filter((key) => !hidden.includes(canary(key)))).toEqual([]);
    expect(hidden).toEqual(expect.arrayContaining(['CANARY-proxy', 'CANARY-user-alone', 'CANARY-searxng']));
  });
});

describe('no secret is printed', () => {
  const env = Object.fromEntries([
    ...secrets.filter((key) => key !== 'store.url').map((key) => [variable(key), canary(key)]),
    ...Object.entries(ADDRESSES).map(([key, value]) => [variable(key), value]),
    // Nobody is asked, and nothing is sent.
    [variable('telemetry.otlp_headers'), `x-key=${canary('telemetry.otlp_headers')}`],
  ]) as Record<string, string>;

  test.each([['config'], ['config', '--json'], ['doctor', '--offline'], ['doctor', '--offline', '--json']])(
    'by headgate %s',
    async (...argv) => {
      const { out, err } = await runHeadgate(argv, { home, env });
      expect(out.length).toBeGreaterThan(100);
      expect(out + err).not.toContain('CANARY');
    },
  );

  test('by the admin API', async () => {
    const config = Object.fromEntries([
      ...secrets
        .filter((key) => key !== 'store.url' && key !== 'server.admin_token')
        .map((key) => [key, canary(key)]),
      ...Object.entries(ADDRESSES),
    ]) as Record<string, unknown>;
    const gateway = await createTestGateway({ config });
    try {
      const text = JSON.stringify((await gateway.admin('GET', '/config')).body);
      expect(text).toContain('proxy.example');
      expect(text).not.toContain('CANARY');
    } finally {
      await gateway.close();
    }
  });

  test.each([
    ['a secret of the wrong kind', '[server]\nadmin_token = ["CANARY-a"]', 'server.admin_token = [redacted]'],
    ['an unknown key, whatever it is called', '[server]\nlogin = "CANARY-b"', 'server.login = [redacted]'],
    [
      'an address that is not one',
      '[providers.searxng]\nbase_url = "ftp://me:CANARY-c@searx.example"',
      'ftp://[redacted]@searx.example',
    ],
  ])('by a mistake in the configuration: %s', async (_name, text, shown) => {
    const file = join(home, 'wrong.toml');
    writeFileSync(file, text);
    const { code, err } = await runHeadgate(['search', 'tides', '--config', file], { home });
    expect(code).toBe(1);
    expect(err).toContain(shown);
    expect(err).not.toContain('CANARY');
  });
});
