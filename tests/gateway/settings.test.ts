import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/engine/engine.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const TEXT = '# ours\n[cache]\nttl_seconds = 60 # a minute\n';

describe('settings, changed in the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-settings-'));
  const name = join(folder, 'headgate.toml');
  let gateway: TestGateway;
  beforeAll(async () => {
    writeFileSync(name, TEXT);
    chmodSync(name, 0o640);
    const env = { HEADGATE_HOME: folder, HEADGATE_LOG__LEVEL: 'error' };
    const { file } = readConfig(env, folder);
    gateway = await createTestGateway({ settingsFile: file });
  });
  afterAll(() => gateway.close());
  const change = async (key: string, value: string | null) => {
    const { status, body } = await gateway.admin('PATCH', '/config', { key, value });
    return { status, body, said: (body['detail'] as { error?: string } | undefined)?.error ?? '' };
  };
  const rowOf = async (key: string) => {
    const { body } = await gateway.admin('GET', '/config');
    return (body['config'] as { key: string }[]).find((row) => row.key === key);
  };

  test('comments and mode survive, the answer says where, and the list says what a restart brings', async () => {
    expect(await rowOf('cache.ttl_seconds')).toMatchObject({
      value: '60',
      origin: `${name}:3`,
      changeable: true,
    });
    const { status, body } = await change('cache.ttl_seconds', '90');
    expect([status, body]).toEqual([200, { key: 'cache.ttl_seconds', file: name, line: 3, restart: true }]);
    expect(readFileSync(name, 'utf8')).toBe('# ours\n[cache]\nttl_seconds = 90 # a minute\n');
    expect(statSync(name).mode & 0o777).toBe(0o640);
    expect(await rowOf('cache.ttl_seconds')).toMatchObject({
      value: '60',
      after: { value: '90', origin: `${name}:3` },
    });
    const [entry] = await gateway.store.sessions.audit(1);
    expect(entry?.action).toBe(`set cache.ttl_seconds to 90 in ${name}`);
  });

  test.each([
    ['cache.ttl_seconds', 'soon', 400, 'cache.ttl_seconds'],
    ['cache.ttl_seconds', '-1', 400, 'must be at least 0'],
    ['search.provider', 'brvae', 400, 'must be one or more of'],
    ['server.host', '0.0.0.0', 403, 'not changed in the console'],
    ['nonsense.key', '1', 403, 'not changed in the console'],
    ['search.retries', '2', 409, 'is set by --search.retries'],
  ])('%s = %s is refused, and the file stays', async (key, value, status, why) => {
    const before = readFileSync(name, 'utf8');
    expect(await change(key, value)).toMatchObject({ status, said: expect.stringContaining(why) });
    expect(readFileSync(name, 'utf8')).toBe(before);
  });

  test('removing a key brings the default back, and a file that became wrong is said', async () => {
    expect((await change('cache.ttl_seconds', null)).body).toMatchObject({ line: null });
    expect(readFileSync(name, 'utf8')).toBe('# ours\n[cache]\n');
    writeFileSync(name, '[cache]\nttl_seconds = "x"\n');
    const { body } = await gateway.admin('GET', '/config');
    expect(body['problem']).toContain('cache.ttl_seconds');
  });
});

test('without a configuration file nothing can be changed', async () => {
  const gateway = await createTestGateway();
  const { body } = await gateway.admin('GET', '/config');
  expect(body['file']).toBeNull();
  expect((body['config'] as { changeable: boolean }[]).some((row) => row.changeable)).toBe(false);
  const { status } = await gateway.admin('PATCH', '/config', { key: 'cache.enabled', value: 'false' });
  expect(status).toBe(503);
  await gateway.close();
});
