import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { sayNotRun } from '../support/not-run.ts';
import { root } from '../support/packed.ts';

/** examples/plain_http.py, which imports nothing but Python's own modules, against a gateway on the simulator. */
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) sayNotRun('the Python example', 'python3');

describe.skipIf(!hasPython)('the Python example', () => {
  let gateway: TestGateway;
  let url: string;
  let key: string;
  beforeAll(async () => {
    gateway = await createTestGateway({
      config: { 'providers.tavily.api_key': 'tvly-operator', 'search.provider': 'tavily' },
    });
    url = (await gateway.listen()).url;
    key = (await gateway.newKey({ tier: 'pro' })).key;
  });
  afterAll(() => gateway.close());

  const run = (apiKey: string, baseUrl: string, query: string): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)('python3', ['-I', join(root, 'examples/plain_http.py'), query], {
      env: { PATH: process.env['PATH'], HEADGATE_URL: baseUrl, HEADGATE_API_KEY: apiKey },
      timeout: 20_000,
    }).catch((thrown: unknown) => thrown as { stdout: string; stderr: string });

  test('searches and reads', async () => {
    const { stdout, stderr } = await run(key, url, 'tidal mills');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ok: 3 results\n(- .* https:.*\n){3}/);
    expect(stdout).toMatch(/characters|https:.*: \S/);
  });

  test.each([
    [
      'a wrong key',
      () => run('hg_live_wrong', url, 'tidal mills'),
      /^401 unauthenticated: .*retryable: false\)\n$/,
    ],
    [
      'a query that is too short',
      () => run(key, url, 'q'),
      /^400 invalid_request: Query is too short.*retryable: false\)\n$/,
    ],
    ['no gateway', () => run(key, 'http://127.0.0.1:9', 'mills'), /cannot be reached/],
  ])('%s is said', async (_name, ran, said) => {
    expect((await ran()).stderr).toMatch(said);
  });
});
