import { describe, expect, test } from 'vitest';
import { checkDeclaredType, checkedType, sniffType } from './content-type.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const PAGE = '<!doctype html><title>x</title>';

describe('F55: the type', () => {
  test.each([
    ['text/html; charset=utf-8', PAGE, 'text/html'],
    ['TEXT/HTML', PAGE, 'text/html'],
    ['application/rss+xml', '<rss>', 'application/rss+xml'],
    ['application/ld+json', '{}', 'application/ld+json'],
    ['text/plain', '<html> as text', 'text/plain'],
    ['', PAGE, 'text/html'],
    ['application/octet-stream', '  <?xml version="1.0"?><feed/>', 'application/xml'],
    ['application/octet-stream', '{"a":1}', 'application/json'],
    ['binary/octet-stream', 'just words', 'text/plain'],
    ['text/html', '%PDF-1.7 …', 'application/pdf'],
    ['application/octet-stream', '\n%PDF-1.4', 'application/pdf'],
    ['application/pdf', '<html>not found</html>', 'text/html'],
    ['text/html', '', 'text/html'],
    ['text/html', 'a page with one \0 in it', 'text/html'],
    ['text/html', '\xFF\xFE<\0h\0t\0m\0l\0>\0', 'text/html'],
    ['text/html', '<\0h\0t\0m\0l\0>\0w\0o\0r\0d\0s\0', 'text/html'],
  ])('%s with the bytes %j is %s', (declared, body, expected) => {
    expect(checkedType(declared, bytes(body))).toBe(expected);
  });

  test.each([
    ['text/html', '\x89PNG\r\n\x1A\n'],
    ['text/html', 'GIF89a/*<html>*/'],
    ['text/plain', 'PK\x03\x04'],
    ['application/json', '\x1F\x8B\x08'],
    ['text/html', `MZ\x90${'\0\x01\x02'.repeat(50)}`],
    ['text/html', '\x01\x02\x03\x04\x05 mostly noise'],
    ['application/octet-stream', '\x7FELF\x02\x01'],
    ['application/pdf', 'PK\x03\x04'],
  ])('%s with the bytes %j is refused', (declared, body) => {
    expect(() => checkedType(declared, bytes(body))).toThrow('cannot be read as text');
  });

  test.each([
    'image/png',
    'video/mp4',
    'application/zip',
    'application/x-msdownload',
    'font/woff2',
    'application/javascript; x',
    'image/svg+xml',
  ])('%s is refused before the body is read', (declared) =>
    expect(() => checkDeclaredType(declared)).toThrow('cannot be read as text'),
  );

  test('only the first KiB is looked at', () => {
    expect(sniffType(bytes(`${'a'.repeat(1024)}${'\0'.repeat(5_000)}`))).toBe('text/plain');
  });
});
