import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../core/errors.ts';
import { loadConfig } from './load.ts';

const file = (text: string) => ({ name: 'headgate.toml', text });
const messageOf = (load: () => unknown): string => {
  try {
    load();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(HeadgateError);
    return (thrown as HeadgateError).message;
  }
  throw new Error('expected the configuration to be refused');
};

describe('configuration', () => {
  test('has a default for everything', () => {
    const { config, origins } = loadConfig({});
    expect(config.search.provider).toEqual(['auto']);
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 8787 });
    expect(origins).toEqual({});
  });

  test('flags win over the environment, the environment over the file, and each value knows where it came from', () => {
    const { config, origins } = loadConfig({
      file: file('[server]\nport = 1111\nhost = "127.0.0.2"\n[log]\nlevel = "info"'),
      env: { HEADGATE_SERVER__PORT: '2222', HEADGATE_LOG__LEVEL: 'error' },
      flags: { 'log.level': 'debug' },
    });
    expect(config.server.port).toBe(2222);
    expect(config.log.level).toBe('debug');
    expect(origins).toEqual({
      'server.port': 'HEADGATE_SERVER__PORT',
      'server.host': 'headgate.toml:3',
      'log.level': '--log.level',
    });
  });

  test('every provider address has an environment twin', () => {
    const { config } = loadConfig({
      env: { HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: 'http://127.0.0.1:9/duckduckgo/' },
    });
    expect(JSON.stringify(config.providers)).toContain('"http://127.0.0.1:9/duckduckgo"');
  });

  test('several keys are split at commas, full-width ones too', () => {
    const { config } = loadConfig({ env: { HEADGATE_PROVIDERS__DUCKDUCKGO__API_KEY: 'a, b，c、d' } });
    expect((config.providers as Record<string, { api_key?: string[] }>)['duckduckgo']?.api_key).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  test.each([
    [
      'an unknown key, with the line and the closest name',
      '[server]\n\nprot = 1',
      'headgate.toml:3: server.prot = 1: unknown key; did you mean server.port?',
    ],
    ['an unknown section', '[serve]\nport = 1', 'serve: unknown key; did you mean server?'],
    [
      'a wrong type',
      '[server]\nport = "abc"',
      'headgate.toml:2: server.port = "abc": must be a whole number',
    ],
    [
      'a value out of range',
      '[server]\nport = 70000',
      'headgate.toml:2: server.port = 70000: must be at most 65535',
    ],
    [
      'a word that is not in the list',
      '[log]\nlevel = "loud"',
      'headgate.toml:2: log.level = "loud": must be one of debug, info, warn, error',
    ],
    ['broken TOML', '[server\nport = 1', 'headgate.toml:1 is not valid TOML'],
    [
      'an address that is none',
      '[providers.duckduckgo]\nbase_url = "ftp://x"',
      'headgate.toml:2: providers.duckduckgo.base_url = "ftp://x"',
    ],
    [
      'research spec 6.5: a bad search depth',
      '[research]\ntavily_search_depth = "deep"',
      'headgate.toml:2: research.tavily_search_depth = "deep": must be one of basic, advanced, fast, ultra_fast',
    ],
    ['research spec 6.5: chunks out of 1–5', '[research]\ntavily_chunks_per_source = 6', 'must be at most 5'],
    [
      'research spec 6.5: days that are not positive',
      '[research]\ntavily_news_days = 0',
      'must be at least 1',
    ],
  ])('refuses %s', (_name, text, expected) => {
    expect(messageOf(() => loadConfig({ file: file(text) }))).toContain(expected);
  });

  test('refuses an unknown environment variable by its name', () => {
    expect(messageOf(() => loadConfig({ env: { HEADGATE_SERVER__PROT: '1' } }))).toContain(
      'HEADGATE_SERVER__PROT: server.prot',
    );
  });

  test('never prints a key, even a refused one', () => {
    const text = messageOf(() => loadConfig({ file: file('[providers.duckduckgo]\napi_key = 5') }));
    expect(text).toContain('[redacted]');
  });
});
