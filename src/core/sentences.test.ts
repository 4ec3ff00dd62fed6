import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isQuestion, sentenceEnds } from './sentences.ts';
import { countCpu } from '../../tests/support/cpu-time.ts';

/** Each line is one sentence; the lines of a group are put together as its language does. */
const SPACED: Record<string, string[]> = {
  'English figures': [
    'Total revenue of $23.3 billion was reported.',
    'Version 1.2.3 of v8.0 came out on 10.11.2024.',
    'It fell by 12.5 % to 3.14159.',
    'The figure for 1911 is 4.2 m.',
    'The club won by 12.',
    'The town has 1,911 people.',
  ],
  'English abbreviations and initials': [
    'Dr. A. B. Ribero met J. R. R. Tolkien and George W. Bush in St. Louis, e.g. on Main St. with Mrs. Jones.',
    'Apple Inc. and Google Ltd. are in the U.S. market, i.e. No. 1 and No. 2.',
    'The U.S. Supreme Court spoke at 5 p.m. on Sept. 11 about Fig. 3, pp. 4 and Smith et al. again.',
    'He takes vitamin C.',
    'The others live in the U.S.',
    'They work for Acme Inc.',
    'In 2011 K. He wrote it with Ph.D. students.',
  ],
  'English quotations, ellipses, addresses': [
    '“Is it old? Yes. It is,” she said.',
    'He wrote: "The gate is old. It was built in 1911."',
    'See https://x.example/a.html?b=c.d!e and www.x.example for Node.js and ASP.NET.',
    'It was ... The oldest (see p. 4. It is there) of all.',
    'They waited … and waited.',
    'They gave up...',
    'Yahoo! Japan bought it!',
    'Was it cheap?',
    '“It was not.”',
    '(Nobody knew. Nobody asked.)',
    'It rained.[^2]',
    'It snowed.[12]',
    '**All was white.**',
    'It ended with [the thaw.](https://x.example/a)',
    'Then came spring.',
  ],
  German: [
    'Am 3. Oktober 1990 wurde der Vertrag geschlossen, d. h. z. B. Berlin und ca. 2,5 Mio. Menschen waren dabei.',
    'Im 19. Jahrhundert lebte Ludwig XIV. nicht mehr, vgl. S. 12 und Abb. 3 bzw. Nr. 5.',
    'Der Umsatz betrug 23.300 Mrd. Euro bzw. 1.234,56 Euro.',
    'Das war der 2. Weltkrieg und die 5. Sinfonie usw.',
    'Die Schleuse wurde 1911 gebaut.',
    'Er sagte: „Sie ist alt. Sie bleibt.“',
    'Prof. Dr. K. Meier kam um 9.30 Uhr.',
    'Nach dem 1. FC Köln kam der 100. Geburtstag.',
  ],
  Spanish: [
    'La Sra. García y el Sr. López ganaron 23.300,5 millones en EE. UU. con la ayuda de la Dra. Ruiz.',
    'Nació en el año 44 a. C. en Roma, p. ej. en el núm. 5 de la pág. 12.',
    '¿Cuándo se construyó?',
    '¡Nadie lo sabe!',
    'Se construyó en 1911 según el art. 5.',
    'Dijo: «Es vieja. Es larga.»',
    'El canal mide 42 km.',
  ],
};
const UNSPACED: Record<string, string[]> = {
  Japanese: [
    '売上高は233.5億円で、前年の1．5倍になった。',
    '水門は一九一一年に、運河は四二．五キロメートルで完成した。',
    '彼は「門は古い。運河は長い。」と言った。',
    '本当か？と聞かれたが、けいおん！は人気がある。',
    'いつ建てられましたか？',
    'Node.js 22.3（v22.3.0。最新版）を使う。',
    '詳しくは https://x.example/a.html を見る。',
    'とても古い！',
    '「これで終わりだ。」',
  ],
  Chinese: [
    '公司总收入为23.3亿美元，同比增长1.5%。',
    '“水闸建于1911年。它很长。”他说。',
    '约翰.史密斯在第3.2节写道：“运河长42.5公里。”',
    '运河有多长？',
    '它……很长！',
    '版本1.2.3（见第4.5节。谢谢）已发布。',
  ],
};

const split = (text: string): string[] => {
  let start = 0;
  return Array.from(sentenceEnds(text), (end) => {
    const sentence = text.slice(start, end).trim();
    start = end;
    return sentence;
  });
};

describe('a text is cut between its sentences and nowhere else', () => {
  test.each(Object.entries(SPACED))('%s', (_name, sentences) => {
    expect(split(sentences.join(' '))).toEqual(sentences);
  });

  test.each(Object.entries(UNSPACED))('%s', (_name, sentences) => {
    expect(split(sentences.join(''))).toEqual(sentences);
  });

  test('wherever the stretch begins and ends, ends go up and the last is its end', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('. ', '。', '「', '」', '"', '(', ')', '...', ' 3. Oktober', '$23.3 ', '？', '”', '“'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(30), (pieces, from) => {
        const text = pieces.join('');
        const start = Math.min(from, text.length);
        const ends = [...sentenceEnds(text, start)];
        expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
        expect(ends.at(-1)).toBe(start < text.length ? text.length : undefined);
      }),
    );
  });

  test('no figure is ever cut, in whatever text it stands', () => {
    const figure = fc
      .tuple(
        fc.nat(99_999),
        fc.constantFrom('.', ',', '．'),
        fc.nat(999),
        fc.constantFrom('', ' %', '億円', '亿', ' Mrd.'),
      )
      .map(([whole, point, part, unit]) => `${whole}${point}${part}${unit}`);
    const word = fc.constantFrom(
      'The gate',
      'cost',
      'の水門は',
      '水闸',
      'der',
      'am',
      '。',
      '. ',
      '? ',
      '“',
      '”',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(figure, word), { maxLength: 20 }), (parts) => {
        for (const sentence of split(parts.join(' ')))
          expect(sentence).not.toMatch(/^\d+(?: %|億円|亿| Mrd)/);
        const text = parts.join('');
        for (const end of sentenceEnds(text))
          expect(/\d[.．]$/.test(text.slice(0, end)) && /^\d/.test(text.slice(end))).toBe(false);
      }),
    );
  });

  test('marks without end take linear time', () => {
    const cpuMs = countCpu();
    for (const evil of ['. ', '「', '"', '1. ', 'a. A ', '(. ', '。」', '.*_'])
      expect([...sentenceEnds(evil.repeat(20_000))].length).toBeGreaterThan(0);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe('questions', () => {
  test.each([
    'When was it built?',
    'He asked: “When was it built?”',
    'Really?!',
    '¿Cuándo se construyó?',
    'いつ建てられましたか？',
    'いつ建てられましたか。',
    '「いつですか。」',
    '运河有多长？',
    '它很长吗。',
    '**Wie lang ist er?**',
  ])('%s asks', (text) => {
    expect(isQuestion(text)).toBe(true);
  });

  test.each([
    'It was built in 1911.',
    '“Is it old?” she asked.',
    '一九一一年に建てられた。',
    '静かな丘。',
    '它很长。',
  ])('%s does not', (text) => {
    expect(isQuestion(text)).toBe(false);
  });
});
