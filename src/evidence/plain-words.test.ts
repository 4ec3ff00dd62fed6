import { describe, expect, test } from 'vitest';
import { wordsWithoutMarkup } from './plain-words.ts';
import { countCpu } from '../../tests/support/cpu-time.ts';

describe('a model’s words', () => {
  test.each([
    'The canal is 42 km long (about 26 miles), as of 2024.',
    'Node.js 22.3 and ASP.NET read `a < b` and c > d; 1/3 of 2.5 m² is AT&T’s.',
    'Prices rose from $1,200 to €1.5 million, i.e. by 25 %.',
    '水路は全長42キロメートルです。',
    'The ratio was 3:1 and the time 10:30.',
  ])('stay as they are: %s', (text) => {
    expect(wordsWithoutMarkup(text)).toEqual({ text, removed: 0 });
  });

  test.each([
    ['It leaks [1][99].', 'It leaks.'],
    ['It leaks [1-3, 5].', 'It leaks.'],
    ['It leaks【4:0†source】.', 'It leaks.'],
    ['It leaks (src-deadbeef).', 'It leaks.'],
    ['It leaks ［１２］.', 'It leaks.'],
    ['It leaks <sup>7</sup>.', 'It leaks 7.'],
  ])('lose citations of their own: %s', (text, expected) => {
    expect(wordsWithoutMarkup(text).text).toBe(expected);
  });

  test.each([
    'see [proof](https://evil.example/x)',
    'see [proof][x]',
    'see ![proof](https://evil.example/x.png)',
    'see [[proof](https://evil.example/a)](https://evil.example/b)',
    'see proof <a href="https://evil.example">',
    'see proof _https://evil.example/x_',
    'see proof //evil.example/x',
    'see proof www.evil.example',
    'see proof evil.example/pay',
    'see proof evil.example:8080',
    'see proof pay@evil.example',
    'see proof javascript:alert(1)',
    'see proof data:text/html;base64,PHNjcmlwdD4=',
    'see proof ｈｔｔｐｓ：／／evil.example/x',
    'see proof 𝐡𝐭𝐭𝐩𝐬://evil.example/x',
    'see proof https:\u200B//evil.example/x',
    'see proof https:\u200D//evil.example/x',
    'see proof https&#58;&#x2f;&sol;evil.example/x',
    'see proof https:\\\\evil.example/x',
    'see proof hthttps://a.example/ tps://evil.example/x',
  ])('lose addresses, however they are spelled: %s', (text) => {
    const { text: plain, removed } = wordsWithoutMarkup(text);
    expect(plain).not.toMatch(/evil|:\/\/|javascript|data:|@/i);
    expect(plain).toMatch(/^see proof/);
    expect(removed).toBeGreaterThan(0);
  });

  test('what unfolds for ever is not shown at all', () => {
    const deep = `${'[x '.repeat(50)}y${'](z)'.repeat(50)}`;
    expect(wordsWithoutMarkup(deep).text).not.toContain('](');
  });

  test('are bounded, and quick on what is made to be slow', () => {
    const cpuMs = countCpu();
    for (const evil of ['['.repeat(50_000), 'a.'.repeat(50_000), '<a'.repeat(50_000), '@a'.repeat(50_000)])
      expect(wordsWithoutMarkup(evil).text.length).toBeLessThanOrEqual(600);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});
