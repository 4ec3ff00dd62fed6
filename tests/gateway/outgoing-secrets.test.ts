import { afterEach, describe, expect, test } from 'vitest';
import { SECRET_KINDS } from '../../src/policy/secret-kinds.ts';
import { createMovableClock } from '../support/movable-clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { sampleOf, textOf } from '../support/secret-samples.ts';
import { seededRandom } from '../support/seeded-random.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

const random = seededRandom(31);
const kind = SECRET_KINDS.find(({ name }) => name === 'github-token') as (typeof SECRET_KINDS)[number];
const secret = sampleOf(kind, random);
const ownKey = textOf('[a-z0-9]{12}-[A-Z0-9]{20}', random);

const open = async (config: Record<string, unknown> = {}) => {
  gateway = await createTestGateway({ clock, config });
  const { key, workspace } = await gateway.newKey({ tier: 'pro' });
  await gateway.admin('PATCH', `/workspaces/${workspace}`, { keep_queries: true, keep_answers: true });
  clock.move(10_000);
  return { key, workspace };
};
const clock = createMovableClock();
const ask = async (key: string, path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
  return [response.status, await response.text()] as const;
};
/** Everything that left, and the newest row of the call log. */
const left = () => JSON.stringify(gateway.sim.requests);
const lastCall = async () => {
  const { body } = await gateway.admin('GET', '/calls?limit=1');
  return (body['calls'] as Record<string, unknown>[])[0] as Record<string, unknown>;
};
const query = `why does git say ${secret} is invalid`;

describe('a secret in a call', () => {
  test('is reported unless something else is set, and the call log does not keep it', async () => {
    const { key } = await open();
    const [status] = await ask(key, '/search', { query });
    expect(status).toBe(200);
    expect(decodeURIComponent(left())).toContain(secret);
    const call = await lastCall();
    expect(call['policy']).toBe('operator.secrets (reported)');
    expect(JSON.stringify(call)).not.toContain(secret);
  });

  test('is taken out of a query, and the answer says so', async () => {
    const { key } = await open({ 'policy.secrets': 'redact' });
    const [status, text] = await ask(key, '/search', { query, include_answer: true });
    expect(status).toBe(200);
    expect(text).toContain('replaced by [secret]');
    expect(text).not.toContain(secret);
    expect(decodeURIComponent(left().replaceAll('+', ' '))).toContain('why does git say [secret] is invalid');
    expect(left()).not.toContain(secret);
    const call = await lastCall();
    expect(call['policy']).toBe('operator.secrets (redacted)');
    expect(JSON.stringify(call)).not.toContain(secret);
  });

  test('refuses an address instead, in whatever encoding, before anybody is asked', async () => {
    const { key } = await open({ 'policy.secrets': 'redact' });
    const forms = [secret, Buffer.from(secret).toString('base64url'), Buffer.from(secret).toString('hex')];
    const urls = forms.flatMap((form) => [
      `https://a.example/${form}`,
      `https://${form}@a.example/`,
      `https://a.example/?k=${form}`,
    ]);
    for (const url of urls) {
      for (const [path, body] of [
        ['/extract', { urls: [url] }],
        ['/crawl', { url }],
        ['/map', { url }],
      ] as const) {
        const [status, text] = await ask(key, path, body);
        expect([path, status, text]).toEqual([
          path,
          403,
          expect.stringContaining('looks like a secret (github-token)'),
        ]);
        expect(text).not.toContain(secret);
      }
    }
    expect(gateway.sim.requests).toEqual([]);
    expect(JSON.stringify(await lastCall())).not.toContain(secret);
  });

  test('is refused where a level says so; a level below cannot allow it', async () => {
    const { key, workspace } = await open({ 'policy.secrets': 'redact' });
    await gateway.admin('POST', '/policies', { workspace, rules: { secrets: 'block' } });
    clock.move(1_001);
    for (const [path, body] of [
      ['/search', { query }],
      ['/research', { input: query }],
    ] as const) {
      const [status, text] = await ask(key, path, body, { 'x-headgate-policy': '{"secrets":"report"}' });
      expect([status, text]).toEqual([403, expect.stringContaining('policy of the workspace')]);
    }
    expect(gateway.sim.requests).toEqual([]);
    const tried = await gateway.admin(
      'GET',
      `/policies/test?workspace=${workspace}&text=${encodeURIComponent(query)}`,
    );
    expect(tried.body).toMatchObject({ verdict: 'deny', level: 'workspace', rule: 'secrets' });
  });
});

describe('what never leaves', () => {
  test('is a secret of our own configuration, whatever the rules', async () => {
    const { key } = await open({ 'providers.tavily.api_key': ownKey, 'policy.mode': 'report' });
    for (const form of [
      ownKey,
      ownKey.slice(4),
      Buffer.from(ownKey).toString('base64'),
      [...ownKey].join(' '),
    ]) {
      const [status, text] = await ask(key, '/search', { query: `what is ${form}` });
      expect([status, text]).toEqual([403, expect.stringContaining('configuration')]);
      expect(text).not.toContain(form);
      expect(await lastCall()).toMatchObject({ policy: 'operator.own_values', query: '[secret]' });
    }
    expect(gateway.sim.requests).toEqual([]);
  });

  test('is a canary of a workspace, and nobody is shown it', async () => {
    const { key, workspace } = await open();
    const canary = 'otter-7481-lamp';
    const rules = { canaries: [canary] };
    const { body } = await gateway.admin('POST', '/policies', { workspace, rules });
    clock.move(1_001);
    const listed = await gateway.admin('GET', '/policies');
    const audit = await gateway.store.sessions.audit(5);
    for (const shown of [body, listed.body, audit]) {
      expect(JSON.stringify(shown)).toContain('[1 set]');
      expect(JSON.stringify(shown)).not.toContain(canary);
    }
    const [status, text] = await ask(key, '/extract', { urls: [`https://otter.7481.lamp.a.example/`] });
    expect([status, text]).toEqual([403, expect.stringContaining('must not leave')]);
    expect((await ask(key, '/search', { query: 'otter 7482 lamp' }))[0]).toBe(200);
    expect(await lastCall()).toMatchObject({ policy: null });
  });
});
