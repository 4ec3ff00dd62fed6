import { expect, test } from 'vitest';
import { decodeCharset } from './decode-charset.ts';

test('F54: Latin-1 and windows-1252 have quotes, dashes and the euro sign on every version of Node', () => {
  const bytes = new Uint8Array([0x93, 0x80, 0x35, 0x94, 0x20, 0x96, 0x20, 0xe9, 0x92, 0x9f]);
  for (const charset of ['windows-1252', 'iso-8859-1', 'latin1', 'us-ascii'])
    expect(decodeCharset(bytes, charset)).toBe('“€5” – é’Ÿ');
});

test('other charsets are left to the platform, with their errors', () => {
  expect(decodeCharset(new Uint8Array([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis')).toBe('日本');
  expect(decodeCharset(new Uint8Array([0xc2, 0x80]), 'utf-8')).toBe('\u0080');
  expect(() => decodeCharset(new Uint8Array([0xff]), 'utf-8', { fatal: true })).toThrow(TypeError);
  expect(() => decodeCharset(new Uint8Array(), 'no-such-charset')).toThrow(RangeError);
});
