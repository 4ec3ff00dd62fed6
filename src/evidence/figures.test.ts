import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Figure } from './figure.ts';
import { figuresOf } from './figures.ts';
import { relate } from './relate.ts';

const written = (sentence: string): string[] =>
  figuresOf(sentence).map(({ dimension, low, high }) =>
    `${dimension} ${low}${high === low ? '' : `–${high}`}`.trim(),
  );

describe('figures of a sentence', () => {
  test.each([
    ['It was built in 1911 by hand.', ['date 19110000–19111299']],
    ['It serves 1,250 farms.', ['1250']],
    ['It would cost 24 million euros.', ['eur 24000000']],
    ['It earned $3.4 billion, not $5m.', ['usd 3400000000', 'usd 5000000']],
    ['It is 42 kilometres long.', ['length 42000']],
    ['It carries 12 cubic metres per second.', ['length^3/time 12']],
    ['About 20 percent is lost.', ['% 20']],
    ['A third of 1500 students left.', ['% 33.333333333333336', '1500']],
    ['It lasted from 1908 to 1911.', ['date 19080000–19111299']],
    ['She died on 3 May 1887 and he on May 4, 1888.', ['date 18870503', 'date 18880504']],
    ['Between 3 and 5% of 10–15 million people.', ['% 3–5', 'person 10000000–15000000']],
    ['The A380 and version v2.4 have no figures.', []],
    ['Der Bau kostete 15 Mrd. Euro bei 1.200.000 Einwohnern.', ['eur 15000000000', 'person 1200000']],
    ['Am 3. Mai 1887 waren es 14,2 Kilometer.', ['date 18870503', 'length 14200']],
    ['Costó 15.000 millones de euros en el siglo XIX.', ['eur 15000000000', 'date 18010000–19001299']],
    ['建設費は三億五千万円、人口は約120万人。', ['jpy 350000000', 'person 1200000']],
    ['奥霧線は2023年(令和5年)10月1日に廃止された。', ['date 20231001']],
    ['最終列車は9月30日に走り、10月1日に廃止された。', ['day 930', 'day 1001']],
    ['令和5年10月1日に開通した。', ['date 20231001']],
    ['水门于10月1日开放。', ['day 1001']],
    ['水門は一九一一年、つまり明治44年に建てられた。', ['date 19110000–19111299', 'date 19110000–19111299']],
    ['五十嵐さんは千葉の三重さんと話した。', []],
    ['3割が四十二キロメートルを歩いた。', ['% 30', 'length 42000']],
    ['造价15亿元，百分之二十，三分之一。', ['cny 1500000000', '% 20', '% 33.333333333333336']],
  ])('%s', (sentence, expected) => {
    expect(written(sentence)).toEqual(expected);
  });

  const between = (a: string, b: string) => relate(figuresOf(a)[0] as Figure, figuresOf(b)[0] as Figure);

  test.each([
    ['another year', 'Built in 1911.', 'Built in 1908.', 'contrary'],
    ['a day of the year', 'Built in 1911.', 'Built on 3 May 1911.', 'compatible'],
    ['another length', 'It is 42 kilometres long.', 'It is 47 km long.', 'contrary'],
    ['another unit', 'It is 48 metres tall.', 'It is 48 feet tall.', 'contrary'],
    ['another scale', 'It cost 15 million euros.', 'It cost 15 billion euros.', 'contrary'],
    ['the same in other words', 'It lost 20 percent.', 'It lost 20%.', 'equal'],
    ['the same in kanji', '人口は百二十万人。', '人口は120万人。', 'equal'],
    ['rounded', 'It costs 24 million euros.', 'It costs 24.1 million euros.', 'about'],
    ['said to be rounded', 'It has 1,180 rooms.', 'It has about 1,200 rooms.', 'about'],
    ['converted', 'It is 14.2 km long.', 'It is 8.8 miles long.', 'about'],
    ['near, but exact', 'It lost 20 percent.', 'It lost 21 percent.', 'contrary'],
    ['a bound', 'It serves more than 300 farms.', 'It serves 420 farms.', 'compatible'],
    ['beyond a bound', 'It serves more than 300 farms.', 'It serves 120 farms.', 'contrary'],
    ['other things', 'It is 42 km long.', 'It weighs 47 tonnes.', 'other'],
    ['a range of years', 'Built from 1908 to 1911.', 'Built in 1911.', 'compatible'],
  ])('%s', (_name, a, b, expected) => {
    expect(between(a, b)).toBe(expected);
    expect(between(b, a)).toBe(expected);
  });

  test('whatever the text, figures lie in it, in order, and are finite', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        '12',
        '3億',
        '%',
        ' km',
        '一九一一年',
        'May ',
        '–',
        '$',
        '.',
        ',',
        '百分之',
        'million ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        let last = 0;
        for (const { low, high, start, end } of figuresOf(pieces.join(''))) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(Number.isFinite(low + high) && low <= high).toBe(true);
          last = end;
        }
      }),
    );
  });
});
