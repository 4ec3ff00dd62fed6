import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inRange, notPublic, parseAddress, parseRange, sameAddress } from './address.ts';

const verdict = (text: string) => {
  const address = parseAddress(text);
  return address === undefined ? 'not an address' : (notPublic(address) ?? 'public');
};

describe('reading an address', () => {
  test.each([
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.4 ',
    '',
    'a.b.c.d',
    '0x7f.0.0.1',
    '1.2.3.-4',
  ])('%j is not IPv4', (text) => expect(parseAddress(text)).toBeUndefined());

  test.each([
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::12345',
    'fe80::1%eth0',
    '[::1]',
    '::1.2.3',
    '1.2.3.4::',
    '1:2:3:4:5:6:7::8',
    '::g',
  ])('%j is not IPv6', (text) => expect(parseAddress(text)).toBeUndefined());

  test('a mapped address is the IPv4 address in it', () => {
    const plain = parseAddress('10.1.2.3');
    for (const text of ['::ffff:10.1.2.3', '::FFFF:a01:203', '0:0:0:0:0:ffff:10.1.2.3'])
      expect(parseAddress(text)).toEqual(plain);
  });

  test('every spelling that URL produces is read as the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const text = Array.from({ length: 8 }, (_, index) =>
          (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
        ).join(':');
        const short = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        const [long, compressed] = [parseAddress(text), parseAddress(short)];
        expect(long !== undefined && compressed !== undefined && sameAddress(long, compressed)).toBe(true);
      }),
    );
  });
});

describe('the verdict', () => {
  test.each([
    ['8.8.8.8', 'public'],
    ['127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link-local and cloud metadata'],
    ['168.63.129.16', 'cloud metadata'],
    ['100.64.0.1', 'carrier network'],
    ['::1', 'not global unicast'],
    ['::127.0.0.1', 'not global unicast'],
    ['4000::1', 'not global unicast'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b::10.0.0.1', 'private network'],
    ['64:ff9b:1::8.8.8.8', 'not global unicast'],
    ['2001:4860:4860::8888', 'public'],
    ['2001:0:4136:e378::1', 'protocol assignments, Teredo'],
    ['2002:808:808::1', '6to4'],
    ['2a00::5efe:10.0.0.1', 'private network'],
    ['2a00::5efe:8.8.8.8', 'public'],
  ])('on %s is: %s', (text, expected) => expect(verdict(text)).toBe(expected));

  test('on any IPv4 address agrees with the list that Node keeps of the same ranges', () => {
    const list = new BlockList();
    const ranges =
      '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
    for (const range of ranges.split(' ')) {
      const [base = '', bits] = range.split('/');
      list.addSubnet(base, Number(bits));
    }
    const edge = fc.constantFrom(
      0,
      9,
      10,
      63,
      64,
      100,
      127,
      128,
      168,
      169,
      172,
      192,
      198,
      203,
      223,
      224,
      254,
      255,
    );
    const byte = fc.oneof(edge, fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        const text = bytes.join('.');
        expect(verdict(text) === 'public').toBe(!list.check(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a range holds what begins with its bits, and only of its own kind', () => {
  const holds = (range: string, text: string) => {
    const [parsed, address] = [parseRange(range), parseAddress(text)];
    return parsed !== undefined && address !== undefined && inRange(address, parsed);
  };
  expect(holds('10.0.0.0/9', '10.127.255.255')).toBe(true);
  expect(holds('10.0.0.0/9', '10.128.0.0')).toBe(false);
  expect(holds('10.0.0.1', '10.0.0.1')).toBe(true);
  expect(holds('10.0.0.1', '10.0.0.2')).toBe(false);
  expect(holds('0.0.0.0/0', 'fd00::1')).toBe(false);
  expect(holds('fd00::/8', 'fdff::1')).toBe(true);
  expect(['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', 'x/8', '10.0.0.0/8/8'].map(parseRange)).toEqual(
    Array(5).fill(undefined),
  );
});
