import { describe, expect, test } from 'vitest';
import { escape } from './markdown.ts';

describe('the words of a page in a report', () => {
  test.each([
    'It was built [sic] by C_1 for $5 * 3 = $15.',
    'The function read_file(a) is 5*3 times < as > fast | slow ~ 2.',
    '“Dr. Ribero”, 3.5 % of C:\\dir.',
  ])('stay as they are where Markdown does not read anything into them: %s', (text) => {
    expect(escape(text)).toBe(text);
  });

  test.each([
    ['It leaks [1].', 'It leaks \\[1\\].'],
    ['[proof](https://evil.example)', '\\[proof\\](https://evil.example)'],
    ['[proof][x] and [x]: https://evil.example', '\\[proof\\]\\[x\\] and \\[x\\]: https://evil.example'],
    ['![proof](x)', '!\\[proof\\](x)'],
    ['**bold** and _soft_', '\\*\\*bold\\*\\* and \\_soft\\_'],
    ['`code` <b> &lt; ~~gone~~', '\\`code\\` \\<b> \\&lt; \\~\\~gone\\~\\~'],
    ['# heading', '\\# heading'],
    ['1. item', '1\\. item'],
    ['> quote', '\\> quote'],
    ['ends with \\', 'ends with \\\\'],
    ['\\[1]', '\\\\\\[1\\]'],
  ])('cannot make a link, a citation, markup or a block: %s', (text, expected) => {
    expect(escape(text)).toBe(expected);
  });
});
