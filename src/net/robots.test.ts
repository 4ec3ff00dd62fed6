import { describe, expect, test } from 'vitest';
import { parseRobots } from './robots.ts';
import { countCpu } from '../../tests/support/cpu-time.ts';

const robots = (text: string) => parseRobots(text, 'Headgate/0.1');

describe('robots.txt (RFC 9309)', () => {
  test.each([
    ['nothing said', '', '/a', true],
    ['a plain rule', 'User-agent: *\nDisallow: /private', '/private/x', false],
    ['a rule for somebody else', 'User-agent: OtherBot\nDisallow: /', '/x', true],
    [
      'our own group wins over everybody’s',
      'User-agent: *\nDisallow: /\n\nUser-agent: headgate\nDisallow: /no',
      '/yes',
      true,
    ],
    ['several agents share a group', 'User-agent: a\nUser-agent: Headgate\nDisallow: /no', '/no', false],
    ['the longest rule wins', 'User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['of two equally long ones the allowing', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['an empty rule allows', 'User-agent: *\nDisallow:', '/x', true],
    ['a wildcard', 'User-agent: *\nDisallow: /*.pdf', '/x/y.pdf?z', false],
    ['an end', 'User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['an end that is met', 'User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['an end after the same text twice', 'User-agent: *\nDisallow: /a*b$', '/abxb', false],
    ['an exact end', 'User-agent: *\nDisallow: /x$', '/x', false],
    ['an exact end that goes on', 'User-agent: *\nDisallow: /x$', '/xy', true],
    ['comments and odd line ends', '# hi\r\nUser-agent: * # all\r\nDisallow: /n # no\r\n', '/n', false],
  ])('%s', (_name, text, path, allowed) => {
    expect(robots(text).allows(path)).toBe(allowed);
  });

  test('delay and sitemaps are read, and a delay is bounded', () => {
    const read = robots('Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\n');
    expect(read).toMatchObject({ crawlDelayMs: 2_500, sitemaps: ['https://a.example/s.xml'] });
    expect(robots('User-agent: *\nCrawl-delay: 99999').crawlDelayMs).toBe(30_000);
  });

  test('hostile patterns cost no time', () => {
    const text = `User-agent: *\nDisallow: /${'*a'.repeat(2_000)}$`;
    const cpuMs = countCpu();
    robots(text).allows(`/${'a'.repeat(5_000)}b`);
    expect(cpuMs()).toBeLessThan(1_000);
  });
});
