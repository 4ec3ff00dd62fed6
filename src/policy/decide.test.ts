import { describe, expect, test } from 'vitest';
import { POLICY_LEVELS, type Intent, type Policy } from '../core/gate.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { decideIntent, POLICY_OPERATIONS, rulesOf } from './decide.ts';
import { createDomainSet, domainEntry } from './domains.ts';

describe('domains', () => {
  const rows: [entry: string, url: string, isMatch: boolean][] = [
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://docs.example.com/', true],
    ['example.com', 'https://example.com./', true],
    ['example.com', 'https://EXAMPLE.COM/', true],
    ['example.com', 'https://notexample.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['Example.com.', 'https://example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['.example.com', 'https://a.b.example.com/', true],
    ['com', 'https://example.com/', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['xn--bcher-kva.example', 'https://bücher.example/', true],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://www.example.com/', true],
    ['example.com:443', 'http://www.example.com/', false],
    ['example.com:80', 'http://example.com/', true],
    ['192.0.2.7', 'http://192.0.2.7/', true],
    ['192.0.2.7', 'http://0xc0000207/', true],
    ['0.2.7', 'http://192.0.2.7/', false],
    ['[2001:db8::1]', 'http://[2001:0db8:0:0::1]/', true],
    ['*', 'http://192.0.2.7/', true],
  ];
  test.each(rows)('%s and %s: %s', (entry, url, isMatch) => {
    expect(createDomainSet([entry]).match(new URL(url)) !== undefined).toBe(isMatch);
  });

  test.each([
    '',
    ' ',
    '*.',
    'https://example.com',
    'example.com/path',
    'a@b',
    'exa mple',
    'a%2eb',
    '*.1.2.3.4',
    'a:0x',
  ])('"%s" names no host', (entry) => {
    expect(domainEntry(entry)).toBeUndefined();
  });
});

/** The rules once more, written as plainly as possible. */
function isRefused(
  intent: Intent,
  { allow = [], deny = [], operations = [], providers = [], max_pages, max_depth }: Policy,
): boolean {
  if (intent.kind === 'operation') return operations.length > 0 && !operations.includes(intent.operation);
  if (intent.kind === 'provider') return providers.length > 0 && !providers.includes(intent.provider);
  if (intent.kind === 'pages') return max_pages !== undefined && intent.count > max_pages;
  if (intent.kind === 'links') return max_depth !== undefined && intent.depth > max_depth;
  const host = intent.url.hostname;
  const names = (entries: readonly string[]): boolean =>
    entries.some((entry) =>
      entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry || host.endsWith(`.${entry}`),
    );
  return names(deny) || (intent.kind !== 'webhook' && allow.length > 0 && !names(allow));
}

test('every level can refuse and none can widen, over random policies', () => {
  const random = seededRandom(31);
  const pick = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One;
  const some = <One>(list: readonly One[]): One[] => list.filter(() => random() < 0.3);
  const hosts = ['a.example', 'b.a.example', 'c.b.a.example', 'a.test', 'b.test', 'xa.example'];
  const entries = [...hosts, ...hosts.map((host) => `*.${host}`), 'example', 'test'];
  const policy = (): Policy => ({
    ...(random() < 0.3 ? { mode: 'report' as const } : {}),
    ...(random() < 0.4 ? { allow: some(entries) } : {}),
    ...(random() < 0.6 ? { deny: some(entries).slice(0, 3) } : {}),
    ...(random() < 0.3 ? { operations: some(POLICY_OPERATIONS) } : {}),
    ...(random() < 0.3 ? { providers: some(['brave', 'tavily', 'exa']) } : {}),
    ...(random() < 0.4 ? { max_pages: Math.floor(random() * 5) } : {}),
    ...(random() < 0.4 ? { max_depth: Math.floor(random() * 5) } : {}),
  });
  const intent = (): Intent => {
    const url = new URL(`https://${pick(hosts)}/`);
    return pick<Intent>([
      { kind: 'operation', operation: pick(POLICY_OPERATIONS) },
      { kind: 'provider', provider: pick(['brave', 'tavily', 'exa']) },
      { kind: 'pages', count: Math.floor(random() * 6) },
      { kind: 'links', depth: Math.floor(random() * 6) },
      { kind: pick(['fetch', 'result', 'webhook'] as const), url },
    ]);
  };
  const differences: unknown[] = [];
  let refusals = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const policies = POLICY_LEVELS.map((level) => ({ level, policy: policy() }));
    const asked = intent();
    const enforced = policies.filter(({ policy: { mode } }) => mode !== 'report');
    const expected = enforced.find((one) => isRefused(asked, one.policy))?.level;
    const levels = policies.flatMap((one) => rulesOf(one.level, one.policy) ?? []);
    const got = decideIntent(asked, levels);
    if ((got.verdict === 'deny' ? got.level : undefined) !== expected)
      differences.push([policies, asked, got]);
    // Without its lowest level, a policy allows at least as much.
    if (got.verdict === 'allow' && decideIntent(asked, levels.slice(0, -1)).verdict === 'deny')
      differences.push(['widened', policies, asked]);
    if (got.verdict === 'deny') refusals += 1;
  }
  expect(differences).toEqual([]);
  expect(refusals).toBeGreaterThan(200);
});
