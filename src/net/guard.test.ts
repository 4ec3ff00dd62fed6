import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../core/errors.ts';
import { parseAddress } from './address.ts';
import { checkAddress, checkUrl, createGuardPolicy, type GuardPolicy } from './guard.ts';

const open = createGuardPolicy();

function refusal(raw: string, policy: GuardPolicy = open): HeadgateError | undefined {
  try {
    checkUrl(raw, policy);
    return undefined;
  } catch (thrown) {
    return HeadgateError.from(thrown);
  }
}

describe('a URL', () => {
  test('is parsed once, and its parts are what everything else uses', () => {
    expect(checkUrl('HTTPS://Example.COM.:8443/a?b#c', open)).toMatchObject({
      host: 'example.com',
      port: 8443,
      address: undefined,
      url: { href: 'https://example.com:8443/a?b#c' },
    });
    expect(checkUrl('http://[2606:4700::1111]/', open)).toMatchObject({ host: '2606:4700::1111', port: 80 });
  });

  test.each([
    ['x'.repeat(2_049), 'invalid_url', 'longer than 2048'],
    ['http://example.com/a b', 'invalid_url', 'space'],
    ['http://example.com\\x', 'invalid_url', 'backslash'],
    ['ftp://example.com/', 'invalid_url', 'only http'],
    ['http:///example.com', 'invalid_url', 'no host'],
    ['http://user@example.com/', 'invalid_url', 'user names'],
    ['http://1.2.3.4.5/', 'blocked_host', 'its last part is a number'],
    ['http://example..com/', 'invalid_url', 'not a valid name'],
    ['http://example.com:22/', 'blocked_host', 'port 22 is not allowed (only 80, 443, 8080, 8443)'],
    ['http://localhost/', 'blocked_host', 'internal host'],
    ['http://2130706433/', 'blocked_host', 'its last part is a number'],
    ['http://127.0.0.0xg/', 'blocked_host', 'its last part is a number'],
  ])('%.40s is refused with the rule', (raw, code, words) => {
    expect(refusal(raw)).toMatchObject({ code, message: expect.stringContaining(words) as string });
  });

  test.each([
    '127.0.0.0xg',
    '127.0.0.0XG.',
    'a.b.0x7f',
    '0x08080808',
    '8.8',
    '010.8.8.8',
    '8.8.8.8a',
    '8.8.8.08',
    '127。0。0。0xg',
    '127.0.0.%30xg',
    '１２７.0.0.0xg',
    'example.1com',
  ])('the host %s is taken for an address and refused, with a port or without', (host) => {
    for (const raw of [`http://${host}/`, `https://${host}:8443/x`, `http://${host}?q`])
      expect(refusal(raw)).toMatchObject({ code: 'blocked_host' });
  });

  test('a name that the operator allows may end in a number', () => {
    const policy = createGuardPolicy({ allow: ['node.1a', '7f3a'] });
    expect(refusal('http://node.1a/', policy)).toBeUndefined();
    expect(refusal('http://7f3a/', policy)).toBeUndefined();
    expect(refusal('http://node.2a/', policy)).toMatchObject({ code: 'blocked_host' });
  });

  test('of exactly 2048 characters is accepted', () => {
    expect(refusal(`http://example.com/${'x'.repeat(2_048 - 19)}`)).toBeUndefined();
  });
});

describe("the operator's list", () => {
  const policy = createGuardPolicy({
    allow: ['searx.lan', '.corp.example', '*.Wiki.internal', '10.1.0.0/16', 'fd00::/8', 'printer'],
    ports: [8888],
  });

  test.each([
    'http://searx.lan:8888/',
    'http://a.b.corp.example/',
    'http://x.wiki.internal/',
    'http://10.1.2.3/',
    'http://[fd00::1]/',
    'http://[::ffff:10.1.2.3]/',
    'http://printer/',
  ])('allows %s', (raw) => expect(refusal(raw, policy)).toBeUndefined());

  test.each([
    'http://other.lan/',
    'http://evilsearx.lan/',
    'http://searx.lan.evil.lan/',
    'http://wiki.internal/',
    'http://10.2.0.1/',
    'http://searx.lan:22/',
    'http://[fe80::1]/',
  ])('does not allow %s', (raw) => expect(refusal(raw, policy)).toMatchObject({ code: 'blocked_host' }));

  test('that allows a name allows what it resolves to, and nothing for other names', () => {
    const inside = parseAddress('192.168.1.1') ?? new Uint8Array();
    expect(() => checkAddress(inside, 'searx.lan', policy)).not.toThrow();
    expect(() => checkAddress(inside, 'example.com', policy)).toThrow('private network');
    expect(() =>
      checkAddress(inside, 'example.com', createGuardPolicy({ allow: ['192.168.0.0/16'] })),
    ).not.toThrow();
  });

  test.each(['', 'http://searx.lan', '10.0.0.0/99', 'a b', '*', '.', 'searx.lan:8080'])(
    'refuses the entry %j',
    (entry) => {
      expect(() => createGuardPolicy({ allow: [entry] })).toThrow('[guard] allow');
    },
  );
});

test('a refusal does not tell the caller what a name resolves to', () => {
  const inside = parseAddress('10.77.88.99') ?? new Uint8Array();
  expect(() => checkAddress(inside, 'db.example.com', open)).toThrow(
    'This host is not fetched: it is not on the public Internet (private network).',
  );
});
