import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare as compareReadings } from './compare.ts';
import { read } from './reading.ts';
import { support } from './supports.ts';

const compare = (a: string, b: string) => compareReadings(read(a), read(b));

describe('two sentences', () => {
  test.each([
    [
      'The Carrow wind farm generated 2.1 terawatt-hours in 2024.',
      'In 2024 the Carrow wind farm produced 2.1 TWh.',
    ],
    ['The Kestrel Dam was completed in 1936.', 'Work on the Kestrel Dam finished in 1936.'],
    ['The Orrin vaccine does not protect children.', 'The Orrin vaccine offers no protection to children.'],
    ['The Brenley treaty prohibits fishing.', 'The Brenley treaty does not allow fishing.'],
    ['Tarrow has a population of 1.2 million people.', 'The population of Tarrow is 1,200,000.'],
    ['Edith Carrow founded the Marlowe Institute.', 'The Marlowe Institute was founded by Edith Carrow.'],
    ['佐藤花子は1911年に緑山大学を創立した。', '緑山大学は1911年に佐藤花子によって創立された。'],
    ['白石隧道全长14.2公里。', '白石隧道的长度为14.2公里。'],
    ['Seit 2020 stiegen die Mieten um 12 %.', 'Die Mieten sind seit 2020 um 12 Prozent gestiegen.'],
    ['La torre Tesel mide 214 metros de altura.', 'La torre Tesel tiene una altura de 214 metros.'],
    ['Die Zahl der Bienen in Hagen nimmt zu.', 'Die Zahl der Bienen in Hagen steigt.'],
    ['Den Linden-Preis 2019 gewann Tomas Erler.', 'Tomas Erler hat den Linden-Preis 2019 gewonnen.'],
    ['Die Talbrücke Wern kostete 23 Mio. Euro.', 'Die Talbrücke Wern hat 23 Millionen Euro gekostet.'],
    ['望江酒店有240间客房。', '望江酒店共有客房240间。'],
    ['海棠区的房价上涨了百分之八。', '海棠区房价上升8%。'],
    ['安平市人口为230万。', '安平市有230万人口。'],
    ['小说《北窗》的作者是林若川。', '《北窗》由林若川所写。'],
    ['緑川橋の長さは420メートルである。', '緑川橋は全長420mの橋だ。'],
    ['The minister was not aware of the plan Aldar.', 'The minister was unaware of the plan Aldar.'],
  ])('say the same: %s %s', (a, b) => {
    expect(compare(a, b)).toMatchObject({ relation: 'same' });
    expect(compare(b, a)).toMatchObject({ relation: 'same' });
  });

  test.each([
    ['polarity', 'The Vesper lizard can swim.', "The Vesper lizard can't swim."],
    ['polarity', 'Rents in Halvik have risen.', 'Rents in Halvik have declined.'],
    ['polarity', '星見茸は食用に適している。', '星見茸は食用に適していない。'],
    ['polarity', 'Die Zahl der Bienen in Hagen nimmt zu.', 'Die Zahl der Bienen in Hagen nimmt ab.'],
    ['polarity', 'The minister knew the plan Aldar.', 'The minister did not know the plan Aldar.'],
    ['polarity', '月見庭園は夜間も開いている。', '月見庭園は夜間は閉まっている。'],
    ['number', '听风软件有三百万用户。', '听风软件有三十万用户。'],
    ['name', '第五届登山大会在成都举行。', '第五届登山大会在昆明举行。'],
    ['polarity', 'Die Klausel 12 ist gültig.', 'Die Klausel 12 ist ungültig.'],
    ['date', 'The Aster probe will launch in May 2027.', 'The Aster probe is due to launch in June 2028.'],
    ['date', 'Die Sperrung der A 92 endet im Mai 2026.', 'Die Sperrung der A 92 endet im Juni 2027.'],
    ['number', 'Die Marienglocke wiegt 4 Tonnen.', 'Die Marienglocke wiegt 4 Zentner.'],
    ['number', '小舟软件的用户超过三千万。', '小舟软件的用户为三百万。'],
    ['name', 'Comet Ritter was discovered by Anna Ritter.', 'Comet Ritter was discovered by Joe Maddox.'],
    ['polarity', '该条约允许在保护区内捕鱼。', '该条约禁止在保护区内捕鱼。'],
    [
      'number',
      'The path follows the Aldana canal, which is 47 kilometres long.',
      'The Aldana canal is 42 kilometres long and serves 1,250 farms.',
    ],
    ['date', 'The Orsay line was opened in 1901.', 'In 1904 the Orsay line was opened.'],
    [
      'name',
      'The Harrow Library was designed by Lucia Fontane.',
      'Peter Aldous designed the Harrow Library.',
    ],
    [
      'name',
      'The film Low Tide was directed by Ines Calder.',
      'The film Low Tide was directed by Mark Osei.',
    ],
    ['name', 'The longest river of Tessin is the Arno.', 'The longest river of Tessin is the Belva.'],
    ['number', 'The water of Lake Ymer reaches 20 °C.', 'The water of Lake Ymer reaches 90 °F.'],
    ['name', 'Die Hauptstadt von Velland ist Stromby.', 'Die Hauptstadt von Velland ist Karsund.'],
  ])('contradict each other in %s: %s %s', (kind, a, b) => {
    expect(compare(a, b)).toMatchObject({ relation: 'contrary', kind });
    expect(compare(b, a)).toMatchObject({ relation: 'contrary', kind });
  });

  test.each([
    [
      'another subject',
      'The Marsden canal was opened in 1811.',
      'The Marsden canal museum was opened in 1811.',
    ],
    [
      'another tower',
      'The north tower of Quill is 31 metres high.',
      'The south tower of Quill is 27 metres high.',
    ],
    ['another hall', 'Der große Saal in Eck fasst 400 Gäste.', 'Der kleine Saal in Eck fasst 90 Gäste.'],
    ['others', 'The Lyle bridge is open to pedestrians.', 'The Lyle bridge is closed to lorries.'],
    ['another work', 'The novel Kestrel was released in 1990.', 'The film Kestrel was released in 1990.'],
    ['another verb', 'The Aldar subsidy was phased in.', 'The Aldar subsidy was phased out.'],
    ['another verb', 'Der Zug 12 fällt heute aus.', 'Der Zug 12 fällt heute auf.'],
    ['another object', 'The Marsden canal opened in 1811.', 'The Marsden canal opened a school in 1811.'],
    ['another event', 'The Kestrel Dam was begun in 1936.', 'The Kestrel Dam was completed in 1936.'],
    ['another time', 'Fenwick employed 5,200 people in 1995.', 'Fenwick employed 3,100 people in 2015.'],
    ['another place', 'Castor sold 5 million phones in Spain.', 'Castor sold 7 million phones in Peru.'],
    ['another measure', 'The Sable bridge is 42 metres long.', 'The Sable bridge is 12 metres wide.'],
    [
      'another clause',
      'The Harrow library, which stands beside the Tessel Tower, is 40 m tall.',
      'The Tessel Tower is 214 m tall.',
    ],
    ['the other way round', 'Castor acquired Pollux in 2001.', 'Pollux acquired Castor in 2001.'],
    [
      'a plan',
      'The Sable bridge would cost 15 million dollars.',
      'The Sable bridge cost 15 million dollars.',
    ],
    [
      'then and now',
      'The Ferryhill bridge opened in 1931.',
      'The Ferryhill bridge has been closed since May.',
    ],
    ['then and now in Japanese', 'この橋は1931年に開通した。', 'この橋は5月から閉鎖されている。'],
    [
      'two denials',
      'The cells contain neither lithium nor cobalt.',
      'The cell contains no cobalt or copper.',
    ],
    [
      'one word in common',
      'Sodium is mined far away, and nothing in the cell comes from a mine.',
      'The cell reaches 120 Wh/kg and has been charged 800 times.',
    ],
    [
      'only a name with its title in common',
      'The Inquiry finds that the manager, Mr R. Pike, failed to act upon clear signs of danger.',
      'Mr Pike, who is 51, stood with his hands behind his back and showed no emotion.',
    ],
    [
      'figures with one word in common',
      'The club has since paid £1.1 million a year to rent its own home.',
      'The offer for the club is £6.5 million.',
    ],
    [
      'numbers of names',
      'Line 4 of the metro of Tessel is safe at night.',
      'Line 5 of the metro of Tessel is not safe at night.',
    ],
    ['stations of their own', 'Station 2 began work in 1999.', 'Station 3 began work in 2004.'],
    [
      'letters at the end',
      'The Orrin vaccine protects against hepatitis A.',
      'The Orrin vaccine does not protect against hepatitis B.',
    ],
    ['only a particle in common', '2012年起，湖区陆续拆除围网。', '2022年起，保护区与小学合作，开设湿地课。'],
    [
      'power and energy',
      'The Kestrel battery stores 5 kilowatt-hours.',
      'The Kestrel battery stores 5 kilowatts.',
    ],
    ['a part', 'All bats of the island can swim.', 'Only bats of the island can swim.'],
    [
      'a number that is a name',
      'Station 12 of the harbour produced much power.',
      'Station 14 of the harbour produced much power.',
    ],
    ['another language', 'The bridge opened in 1901.', 'Die Brücke wurde 1901 eröffnet.'],
    ['a version', 'Orrin 2 はブラウザで使用されている。', 'Orrin 3 はブラウザで使用されている。'],
    [
      'a version of a longer sentence',
      'Orrin 2 では、ブラウザの制限により、getter のみを使用していました。',
      'Orrin 3 では、ファイル内で構文を書くことで使えます。',
    ],
  ])('speak of different things, or of it differently: %s', (_name, a, b) => {
    expect(compare(a, b)).toEqual({ relation: 'other' });
    expect(compare(b, a)).toEqual({ relation: 'other' });
  });

  test('a word and its opposite in one sentence find their own likes in the other', () => {
    const [both, one] = ['rose , Aldana fell The', 'fell Aldana'];
    expect(compare(both, one)).toEqual(compare(one, both));
  });

  test('a sentence is never contrary to itself, and comparing is symmetric', () => {
    const word = fc.constantFrom(
      'The',
      'canal',
      'Aldana',
      'opened',
      'not',
      'in',
      '1911',
      '42',
      'km',
      'rose',
      'fell',
      'of',
      ',',
      'which',
      '運河は',
      '1911年に',
      '開通した',
      '不',
      '15亿元',
      'kein',
      'bajó',
    );
    const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(sentence, sentence, (a, b) => {
        expect(compare(a, a).relation).not.toBe('contrary');
        expect(compare(a, b).relation).toBe(compare(b, a).relation);
      }),
    );
  });
});

describe('a quote carries a sentence', () => {
  const QUOTE =
    'The headgate of the Aldana canal was built in 1911 by Marta Ribero and cost 24.1 million euros.';

  test.each([
    ['The headgate was built in 1911.', 'exact'],
    ['Marta Ribero built the headgate of the Aldana canal.', 'exact'],
    ['The headgate cost about 24 million euros.', 'exact'],
    ['The headgate cost 24 million euros.', 'about'],
    ['The headgate was built in 1912.', 'none'],
    ['The headgate was not built in 1911.', 'none'],
    ['The headgate cost 24.1 billion euros.', 'none'],
    ['The headgate cost 24.1 million dollars.', 'none'],
    ['Juan Ortega built the headgate in 1911.', 'none'],
    ['Taxes of farmers were lowered by parliament.', 'none'],
  ])('%s %s', (claim, expected) => {
    expect(support(claim, QUOTE)).toBe(expected);
  });

  test.each([
    ['The vote gave Labour 31 of the seats.', 'The vote gave Labour 24 of the seats.'],
    ['The drug cures hepatitis C.', 'The drug cures hepatitis B.'],
    ['Reactor 4 was shut down in May.', 'Reactor 3 was shut down in May.'],
    ['The river is not polluted.', 'The river Don is polluted.'],
  ])('%s is not carried by: %s', (claim, quote) => {
    expect(support(claim, quote)).toBe('none');
  });

  test('a part of a denial is not what was said', () => {
    expect(support('the gate was built in 1911', 'It is not so that the gate was built in 1911.')).toBe(
      'none',
    );
  });

  test('names of the question need not be repeated', () => {
    expect(support('The Aldana canal loses 20% of its water.', 'The canal loses 20% of its water.')).toBe(
      'none',
    );
    expect(
      support(
        'The Aldana canal loses 20% of its water.',
        'The canal loses 20% of its water.',
        'Aldana canal',
      ),
    ).toBe('exact');
  });
});
