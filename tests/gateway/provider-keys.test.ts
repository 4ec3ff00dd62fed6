import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeKeysFile, readKeysFile } from '../../src/config/provider-keys.ts';
import { createEngine, readConfig } from '../../src/engine/engine.ts';
import { bundled } from '../support/bundled.ts';
import { sized } from '../support/sized.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-keys-'));
const file = join(folder, 'keys.toml');
const FIRST = 'tvly-first-0123456789abcdef';
const SECOND = 'tvly-second-0123456789abcdef';

interface Shown {
  elsewhere?: string;
  restart?: boolean;
  keys: { id: string; balance?: { left: number; unit: string } }[];
}

describe('keys of providers, added while the gateway runs', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway({
      config: { 'server.provider_keys_file': file, 'providers.brave.api_key': 'brave-of-the-operator' },
    });
  });
  afterAll(() => gateway.close());
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await gateway.admin(method, `/provider-keys${path}`, body);
    return { status: answer.status, body: answer.body as unknown as Shown & { detail: { error: string } } };
  };
  let asked = 0;
  const search = async () =>
    (await gateway.post('/search', { query: `mill ${++asked}`, provider: 'tavily' })).status;
  const sent = () => gateway.sim.requests.map(({ headers }) => headers['authorization']);

  test('is used at once, is in a file that only its owner reads, and is never shown', async () => {
    expect(await search()).toBe(503);
    const added = await ask('POST', '/tavily', { key: FIRST });
    expect(added).toMatchObject({ status: 200, body: { restart: false, keys: [{}] } });
    expect(await search()).toBe(200);
    expect(sent().at(-1)).toBe(`Bearer ${FIRST}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(FIRST);
    const seen = JSON.stringify([
      added.body,
      await gateway.admin('GET', '/provider-keys'),
      await gateway.admin('GET', '/config'),
      await gateway.admin('GET', '/providers'),
      await gateway.store.sessions.audit(10),
    ]);
    expect(seen).not.toContain(FIRST);
    expect(seen).not.toContain(FIRST.slice(5, 16));
  });

  test('the order decides which is used first, and the last key that is removed leaves none', async () => {
    const { keys } = (await ask('POST', '/tavily', { key: SECOND })).body;
    const [one = '', two = ''] = keys.map(({ id }) => id);
    expect((await ask('PATCH', '/tavily', { order: [two] })).status).toBe(409);
    expect((await ask('PATCH', '/tavily', { order: [two, one] })).status).toBe(200);
    await search();
    expect(sent().at(-1)).toBe(`Bearer ${SECOND}`);
    expect((await ask('DELETE', `/tavily/${two}`)).body.keys).toEqual([{ id: one }]);
    expect((await ask('DELETE', `/tavily/${two}`)).status).toBe(404);
    const [last] = await gateway.store.sessions.audit(1);
    expect(last?.action).toBe(`removed the key ${two} of Tavily`);
  });

  test('a test asks the provider once with that key and says what is left', async () => {
    const [added] = (await ask('POST', '/tavily', { key: SECOND })).body.keys;
    const before = gateway.sim.requests.length;
    const { body } = await gateway.admin('POST', `/provider-keys/tavily/${added?.id}/test`);
    expect(gateway.sim.requests.length).toBe(before + 1);
    expect(body).toMatchObject({ level: 'ok', unit: 'credits' });
    const { providers } = (await gateway.admin('GET', '/provider-keys')).body as {
      providers: (Shown & { id: string })[];
    };
    const { balance } = providers.find((one) => one.id === 'tavily')?.keys[0] ?? {};
    expect(balance).toMatchObject({ left: body['left'], unit: 'credits' });
  });

  test.each([
    ['"tvly-0123456789abcdef"', 'quotation marks'],
    ['tvly-0123 456789abcdef', 'white space'],
    ['your-api-key-here', 'placeholder'],
    ['tvly', 'too short'],
    [FIRST, 'already'],
  ])('%s is refused, and nothing is written', async (key, why) => {
    const before = readFileSync(file, 'utf8');
    const { status, body } = await ask('POST', '/tavily', { key });
    expect([status >= 400 && status < 500, body.detail.error]).toEqual([true, expect.stringContaining(why)]);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('keys that are set elsewhere are changed there', async () => {
    const { status, body } = await ask('POST', '/brave', { key: 'another-key-0123456789' });
    expect([status, body.detail.error]).toEqual([409, expect.stringContaining('--providers.brave.api_key')]);
    expect((await ask('POST', '/wikipedia', { key: FIRST })).status).toBe(404);
  });

  test('the next start finds them, and what the operator sets wins', async () => {
    const env = { HEADGATE_SERVER__PROVIDER_KEYS_FILE: file, HEADGATE_HOME: folder };
    const loaded = readConfig(env, folder);
    expect(loaded.config.providers['tavily']).toMatchObject({ api_key: [FIRST, SECOND] });
    expect(loaded.origins['providers.tavily.api_key']).toBe(file);
    const own = readConfig({ ...env, TAVILY_API_KEY: 'tvly-mine' }, folder);
    expect(own.config.providers['tavily']).toMatchObject({ api_key: ['tvly-mine'] });
  });

  test('a file with anything else in it is not read, and not overwritten', async () => {
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, '[server]\nport = 1\n');
    const env = { HEADGATE_SERVER__PROVIDER_KEYS_FILE: file, HEADGATE_HOME: folder };
    expect(() => readConfig(env, folder)).toThrow(/has more in it than keys/);
    expect(readConfig(env, folder, { lenient: true }).problem?.message).toMatch(/has more in it than keys/);
    expect((await ask('POST', '/tavily', { key: 'tvly-third-0123456789' })).status).toBe(500);
    expect(readFileSync(file, 'utf8')).toBe('[server]\nport = 1\n');
    writeFileSync(file, before);
  });
});

test('without a file nothing is written, and a gateway that records needs a restart', async () => {
  const { config } = readConfig({ HEADGATE_HOME: folder }, folder);
  const unnamed = createEngine(config, { home: folder });
  await expect(unnamed.providerKeys.change('tavily', () => [FIRST])).rejects.toThrow(
    /provider_keys_file|no file/,
  );
  const other = join(folder, 'other.toml');
  const settings = {
    'server.provider_keys_file': other,
    'web.mode': 'record',
    'web.snapshot': [`${other}.wacz`],
  };
  const recording = createEngine(readConfig({ HEADGATE_HOME: folder }, folder, { settings }).config, {
    home: folder,
  });
  expect(await recording.providerKeys.change('tavily', () => [FIRST])).toBe(false);
  expect(existsSync(other)).toBe(true);
});

describe('several processes that change one file', () => {
  const shared = join(folder, 'shared.toml');
  const lock = `${shared}.lock`;

  test('lose no key, however they meet', async () => {
    const { file: program, dispose } = await bundled(
      join(import.meta.dirname, '../support/gateway/keys-process.ts'),
    );
    try {
      const count = sized('keys that each of three processes adds to one file', {
        small: 20,
        large: 200,
        full: 1_000,
      });
      const run = promisify(execFile);
      await Promise.all(
        ['tavily', 'brave', 'tavily'].map((id, at) =>
          run(process.execPath, [program, shared, id, `key-${at}`, String(count)]),
        ),
      );
      const { tavily = [], brave = [] } = readKeysFile(shared);
      expect([tavily.length, brave.length, new Set(tavily).size]).toEqual([2 * count, count, 2 * count]);
      expect([existsSync(lock), statSync(shared).mode & 0o777]).toEqual([false, 0o600]);
    } finally {
      dispose();
    }
  });

  test('a lock that a killed process left is removed after a while, and a fresh one is waited for', async () => {
    writeFileSync(lock, '');
    const long = new Date(Date.now() - 60_000);
    utimesSync(lock, long, long);
    await changeKeysFile(shared, () => ({ exa: ['exa-key'] }));
    expect(readKeysFile(shared)).toEqual({ exa: ['exa-key'] });
    writeFileSync(lock, '');
    const waiting = changeKeysFile(shared, (keys) => ({ ...keys, brave: ['brave-key'] }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readKeysFile(shared)).toEqual({ exa: ['exa-key'] });
    rmSync(lock);
    await waiting;
    expect(readKeysFile(shared)).toEqual({ exa: ['exa-key'], brave: ['brave-key'] });
    expect(readdirSync(folder).filter((name) => name.startsWith('shared.toml.'))).toEqual([]);
  });
});
