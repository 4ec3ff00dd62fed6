import { describe, expect, test } from 'vitest';
import { choicesOf, editSetting, isChangeable } from './edit.ts';

const TEXT = `# What this gateway is for: the mill.
[search]
# Brave is cheaper in winter.
provider = [ # in order
  "brave", # first
  'tavily',
] # do not touch
retries = 2   # was 3
"timeout_ms" = 9_000

[cache] # small machine
ttl_seconds = 60

[providers.brave]
credit_price = 5_000
`;
const edit = (key: string, value: string | null, text = TEXT) =>
  editSetting({ name: 'headgate.toml', text }, key, value);

describe('a setting in the text of a file', () => {
  test.each([
    ['search.retries', '1', 'retries = 2   # was 3', 'retries = 1   # was 3', 8],
    ['search.timeout_ms', '5000', '"timeout_ms" = 9_000', '"timeout_ms" = 5000', 9],
    ['cache.ttl_seconds', '0', 'ttl_seconds = 60', 'ttl_seconds = 0', 12],
    [
      'search.provider',
      'tavily, brave',
      '[ # in order\n  "brave", # first\n  \'tavily\',\n] # do not touch',
      '[ "tavily", "brave" ] # do not touch',
      4,
    ],
    ['cache.enabled', 'off', 'ttl_seconds = 60\n', 'ttl_seconds = 60\nenabled = false\n', 13],
    ['search.retries', null, 'retries = 2   # was 3\n', '', 8],
    ['log.level', 'info', 'credit_price = 5_000\n', 'credit_price = 5_000\n\n[log]\nlevel = "info"\n', 18],
  ])('%s becomes %s, and nothing else changes', (key, value, before, after, line) => {
    expect(edit(key, value)).toEqual({ text: TEXT.replace(before, after), line });
  });

  test('a file without a last line break, an empty one and one of Windows', () => {
    expect(edit('cache.ttl_seconds', '5', '[cache]\nenabled = true').text).toBe(
      '[cache]\nenabled = true\nttl_seconds = 5\n',
    );
    expect(edit('log.level', 'info', '')).toEqual({ text: '[log]\nlevel = "info"\n', line: 2 });
    expect(edit('cache.ttl_seconds', '5', '[cache]\r\nttl_seconds = 6\r\n').text).toBe(
      '[cache]\r\nttl_seconds = 5\r\n',
    );
  });

  test('what is written in another way is left alone', () => {
    expect(() => edit('cache.ttl_seconds', '5', 'cache = { ttl_seconds = 6 }\n')).toThrow(
      /cannot be changed here/,
    );
    expect(edit('cache.ttl_seconds', '5', 'cache.ttl_seconds = 6 # x\n').text).toBe(
      'cache.ttl_seconds = 5 # x\n',
    );
    const fooled = '[search]\nrerank = """\n[cache]\nttl_seconds = 6\n"""\n';
    expect(edit('cache.ttl_seconds', '5', fooled).text).toBe(`${fooled}\n[cache]\nttl_seconds = 5\n`);
  });
});

test('secrets, addresses, files, programs and who may do what are not changed in the console', () => {
  const refused = [
    'server.admin_token',
    'server.host',
    'server.provider_keys_file',
    'providers.tavily.api_key',
    'providers.tavily.base_url',
    'extract.chromium',
    'library.roots',
    'guard.allow',
    'auth.second_factor',
    'policy.fetch',
    'store.url',
    'network.https_proxy',
    'telemetry.otlp_endpoint',
    'model.base_url',
    'web.misses',
  ];
  expect(refused.filter(isChangeable)).toEqual([]);
  expect(['search.provider', 'cache.enabled', 'providers.tavily.enabled'].every(isChangeable)).toBe(true);
  expect(choicesOf('cache.enabled')).toEqual(['true', 'false']);
  expect(choicesOf('search.prefer')).toEqual(['order', 'cost', 'latency']);
  expect(choicesOf('cache.ttl_seconds')).toBeUndefined();
});
