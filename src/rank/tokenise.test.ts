import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem } from './stem.ts';
import { fold, tokenise, tokeniseFolded, tokeniseForeign } from './tokenise.ts';

describe('tokenise', () => {
  test.each([
    ['English words become stems', 'Running relational databases', ['run', 'relat', 'databas']],
    ['an identifier gives itself and its parts', 'readFileSync', ['readfilesync', 'read', 'file', 'sync']],
    ['an underscore separates parts', 'max_results', ['maxresults', 'max', 'result']],
    ['an acronym ends where a word begins', 'XMLHttpRequest', ['xmlhttprequest', 'xml', 'http', 'request']],
    ['numbers stay whole', '3.14 and 1,000', ['3.14', 'and', '1000']],
    ['a version is the same with and without v', 'v1.2.3', ['1.2.3']],
    ['C++ and C# keep their signs', 'C++ C# C', ['c++', 'c#', 'c']],
    ['an apostrophe does not split a word', "user's don't", ['user', 'dont']],
    ['Japanese becomes pairs', '梅雨入り', ['梅雨', '雨入', '入り']],
    ['Chinese becomes pairs beside Latin words', 'Node运行时', ['node', '运行', '行时']],
    ['a single character is kept', '雨', ['雨']],
    ['Korean becomes pairs', '한국어', ['한국', '국어']],
    ['accents are folded', 'Größe naïve Ёлка', ['gross', 'naiv', 'елк']],
    ['full width is folded', 'ＡＢＣ １２', ['abc', '12']],
    ['half-width kana are composed', 'ｶﾞﾝ', ['ガン']],
    ['Hindi keeps its vowel signs, except at the end', 'हिन्दी', ['हिन्द']],
    ['Arabic vowels, article and endings are dropped', 'والعربيّة عربي', ['عرب', 'عرب']],
    ['Russian endings are dropped', 'столицами столица', ['столиц', 'столиц']],
    ['Greek endings are dropped', 'Κυβέρνησης κυβέρνηση', ['κυβερν', 'κυβερν']],
    ['Vietnamese tones are letters', 'Thủ đô của Việt Nam', ['thủ', 'đô', 'của', 'việt', 'nam']],
    [
      'a few Vietnamese names change nothing',
      'A café where Nguyễn was seen',
      ['a', 'cafe', 'where', 'nguyen', 'wa', 'seen'],
    ],
    ['a Turkish suffix is cut off a name', "Ankara'nın 1923'te", ['ankara', '1923']],
    ['an elided article is cut off', "l'homme dell'anno", ['homm', 'anno']],
    ['an Irish name stays whole too', "O'Brien", ['obrien', 'o', 'brien']],
  ])('%s', (_name, text, terms) => {
    expect(tokenise(text)).toEqual(terms);
  });

  test('Thai is cut into dictionary words', () => {
    expect(tokenise('กรุงเทพมหานครเป็นเมือง')).toEqual(['กรุงเทพมหานคร', 'เป็น', 'เมือง']);
  });

  test('no text makes it fail, and no term is empty or upper case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tokenise(text).filter((term) => term === '' || /[A-Z]/.test(term))).toEqual([]);
      }),
    );
  });

  test('the terms of other languages go with those of English one by one', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.lorem({ maxCount: 1 }),
            fc.constantFrom("l'été", 'fileName', 'Thủ', 'đô', 'là', '梅雨', '3.14'),
          ),
          { maxLength: 9 },
        ),
        (words) => {
          const text = words.join(' ');
          expect(tokeniseForeign(text)).toHaveLength(tokeniseFolded(text).length);
        },
      ),
    );
    expect(tokeniseForeign('Regierungen fileName 2024')).toEqual([
      '~regier',
      'filename',
      'file',
      'name',
      '2024',
    ]);
  });

  test('Greek capitals are the same word', () => {
    expect(new Set(tokenise('ΛΟΓΟΣ Λόγος λόγος')).size).toBe(1);
  });

  test('folding twice is folding once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });
});

test('the stemmer gives the stems that Porter published', () => {
  const pairs =
    'caresses caress ponies poni cats cat feed feed agreed agre plastered plaster motoring motor sing sing conflated conflat ' +
    'sized size hopping hop falling fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat ' +
    'conditional condit rational ration digitizer digit operator oper feudalism feudal decisiveness decis hopefulness hope ' +
    'formality formal sensitivity sensit triplicate triplic formative form electricity electr goodness good revival reviv ' +
    'adjustable adjust defensible defens replacement replac adoption adopt communism commun effective effect probate probat ' +
    'rate rate cease ceas controlling control rolling roll generalizations gener oscillators oscil';
  const words = pairs.split(' ');
  for (let at = 0; at < words.length; at += 2) expect(stem(words[at] ?? '')).toBe(words[at + 1]);
});
