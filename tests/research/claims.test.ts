import { describe, expect, test } from 'vitest';
import { pageWith, type WebPage } from '../support/page-web.ts';
import { NO_CONTRADICTION, printed, printedBy, section } from '../support/research/printed.ts';
import { createResearchWorld } from '../support/research/world.ts';

const NOBODY =
  'No statement was found on several sites in similar words. Sites that say the same in other words are not marked here.';
const pagesOf = (...statements: string[]): WebPage[] =>
  statements.map((statement, index) => pageWith(index + 1, statement));

describe('sources that contradict each other are not said to agree', () => {
  test.each([
    [
      'can and cannot',
      'Can the Vesper lizard swim in rivers?',
      'The Vesper lizard can swim in rivers.',
      'The Vesper lizard cannot swim in rivers.',
    ],
    [
      'does and does not',
      'Does the Brenley treaty allow fishing in the reserve?',
      'The Brenley treaty allows fishing in the reserve.',
      'The Brenley treaty does not allow fishing in the reserve.',
    ],
    [
      'risen and fallen',
      'Has unemployment in Ostmark risen since the reform?',
      'Unemployment in Ostmark has risen since the reform.',
      'Unemployment in Ostmark has fallen since the reform.',
    ],
    [
      'years',
      'When was the Orsay line opened?',
      'The Orsay line was opened in 1901 by the king.',
      'The Orsay line was opened in 1904 by the king.',
    ],
    [
      'counts',
      'How many bells hang in the Tessel tower?',
      'In the Tessel tower hang 12 bells of bronze.',
      'In the Tessel tower hang 14 bells of bronze.',
    ],
    [
      'names',
      'Who designed the Harrow library?',
      'The Harrow library was designed by Lucia Fontane.',
      'The Harrow library was designed by Peter Aldous.',
    ],
    [
      'units',
      'How tall is the Brack lighthouse?',
      'The Brack lighthouse is 48 metres tall.',
      'The Brack lighthouse is 48 feet tall.',
    ],
    [
      'scales',
      'How much did the Sable bridge cost?',
      'The Sable bridge cost 15 million dollars.',
      'The Sable bridge cost 15 billion dollars.',
    ],
    ['Japanese years', '港南線の開業はいつ', '港南線は1895年に開業した。', '港南線は1908年に開業した。'],
    [
      'kanji numerals',
      '水門はいつ建設されたか',
      '河口の水門は一九一一年に建設された。',
      '河口の水門は一九二三年に建設された。',
    ],
    [
      'Chinese scales',
      '海湾大桥造价多少',
      '海湾大桥的总造价为15亿元人民币。',
      '海湾大桥的总造价为15万元人民币。',
    ],
    [
      'German denials',
      'Kann die Vesperechse schwimmen?',
      'Die Vesperechse kann in Flüssen schwimmen.',
      'Die Vesperechse kann in Flüssen nicht schwimmen.',
    ],
    [
      'Spanish directions',
      '¿Ha subido el desempleo en Ostmarca?',
      'El desempleo en Ostmarca ha subido desde la reforma.',
      'El desempleo en Ostmarca ha bajado desde la reforma.',
    ],
  ])('%s: two against two', async (_name, query, one, other) => {
    const text = await printed(query, pagesOf(one, one, other, other));
    expect(section(text, 'Supporting Evidence')).toBe(NOBODY);
    const conflict = section(text, 'Conflicting Information');
    expect(conflict.split('\n')).toHaveLength(1);
    for (const statement of [one, other]) {
      const cited = conflict.split(`“${statement}” `)[1] ?? '';
      expect(cited).toMatch(/^\[\d\]\[\d\]/);
    }
  });

  test('four years give one dispute with four sides', async () => {
    const years = [1895, 1908, 1911, 1923];
    const text = await printed(
      '港南線はいつ開業したか',
      pagesOf(...years.map((year) => `港南線は${year}年に開業した。`)),
    );
    expect(section(text, 'Supporting Evidence')).toBe(NOBODY);
    const conflict = section(text, 'Conflicting Information');
    for (const year of years)
      expect(conflict).toMatch(new RegExp(`港南線は${year}年に開業した。” \\[\\d\\]`));
    expect(conflict.split('\n')).toHaveLength(1);
  });

  test('figures of different things are not in dispute', async () => {
    const text = await printed(
      'What does the Olden review say?',
      pagesOf(
        'The Olden review covers 24 studies of adults.',
        'The Olden review was written by 6 authors.',
        'Of the Olden review 4 says little, and 3 says nothing.',
        'In the Olden review 3 says more than the others do.',
      ),
    );
    expect(section(text, 'Conflicting Information')).toBe(NO_CONTRADICTION);
  });
});

describe('sources that agree', () => {
  test('are named each with its own quote', async () => {
    const text = await printed(
      'Who founded the Marlowe Institute?',
      pagesOf(
        'The Marlowe Institute was founded by Edith Carrow in 1952.',
        'In 1952 Edith Carrow established the Marlowe Institute.',
      ),
    );
    expect(section(text, 'Supporting Evidence')).toMatch(
      /^- 2 sites say so: “[^”]+ Edith Carrow[^”]+” \[\d\], “[^”]+Edith Carrow[^”]+” \[\d\]$/,
    );
  });

  test('in rounded figures say about the same', async () => {
    const text = await printed(
      'What did the lining of the Aldana canal cost?',
      pagesOf(
        'The lining of the Aldana canal cost 24 million euros.',
        'The lining of the Aldana canal cost 24.1 million euros.',
      ),
    );
    expect(section(text, 'Supporting Evidence')).toContain('2 sites say about the same: “');
  });

  test('do not count twice when one copied the other', async () => {
    const article = [
      'The Tiree mill was built in 1740 by the monks of the island.',
      'Its wheel was turned by the stream that comes down from the northern hills, and its stones came by ship.',
      'The mill ground barley for all of the farms until a storm broke the wheel.',
    ];
    const pages = [1, 2].map((index) => ({
      url: `https://copy-${index}.example/mill`,
      title: `The mill, ${index}`,
      text: article.join('\n\n'),
    }));
    expect(section(await printed('When was the Tiree mill built?', pages), 'Supporting Evidence')).toBe(
      NOBODY,
    );
  });
});

describe('a report says only what is so', () => {
  test('a word of the question that a source has is no gap, whatever was quoted', async () => {
    const long = 'Wetlands store flood water and feed the springs of the valley. '.repeat(3);
    const page = pageWith(
      1,
      'Wetlands purify water because reeds hold back the mud.',
      long,
      'Among other things the mud holds pathogens back.',
    );
    const text = await printed('How do wetlands purify water and remove pathogens and glyphosate?', [
      page,
      pageWith(2, 'Wetlands purify water slowly.'),
    ]);
    expect(text).not.toMatch(/Open: .*pathogens/);
    expect(section(text, 'Limitations')).toContain(
      'The word “glyphosate” is in none of the texts that were read.',
    );
  });

  test('a cookie notice is no finding', async () => {
    const notices = [
      'We use cookies to show you how wetlands purify water.',
      'This site uses cookies: accept all cookies to read how wetlands purify water.',
      'Wir verwenden Cookies, damit wetlands purify water.',
    ];
    const text = await printed(
      'How do wetlands purify water?',
      pagesOf('Wetlands purify water because reeds hold back the mud.', ...notices),
    );
    expect(text).toContain('reeds hold back the mud');
    expect(text).not.toMatch(/cookies/i);
  });

  test('no statement is printed twice in a section, and no finding again after the summary', async () => {
    const statement = 'Wetlands purify water because reeds hold back the mud.';
    const pages = [
      pageWith(1, statement, statement),
      pageWith(2, `${statement} Many birds rest there in autumn as well.`),
      pageWith(3, 'Wetlands purify water because the reeds hold back mud.'),
    ];
    const text = await printed('How do wetlands purify water?', pages);
    const lines =
      `${section(text, 'Executive Summary')}\n${text.split('## Key Findings')[1]?.split('## Analysis')[0] ?? ''}`
        .split('\n')
        .filter((line) => line.startsWith('- '));
    const plain = lines.map((line) =>
      line
        .toLowerCase()
        .replace(/\[\d\]|[^a-z ]|\bthe\b/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    expect(new Set(plain).size).toBe(plain.length);
  });

  test('headings are about the question: a name that only its sources share is none', async () => {
    const text = await printed('wetlands', [
      pageWith(
        1,
        'Wetlands also store flood water when the snow melts early.',
        'Wetlands of the lower valley shelter reed warblers in spring.',
      ),
      pageWith(
        2,
        'Farmers drained wetlands because flood water spoiled the hay.',
        'Wetlands still shelter reed warblers and herons.',
      ),
      pageWith(
        3,
        'Several wetlands still belong to the Valley Water Board today.',
        'Many wetlands are still mapped by the Valley Water Board.',
      ),
    ]);
    const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
    const themes = headings.slice(0, headings.indexOf('Supporting Evidence'));
    expect(themes.filter((heading) => !/wetlands/i.test(heading) && heading !== 'Further findings')).toEqual(
      [],
    );
  });

  test('a sentence that says less than one before it is no finding of its own', async () => {
    const text = await printed('Why was Ferryhill bridge closed?', [
      pageWith(
        1,
        'Ferryhill bridge was closed in May because inspectors found deep cracks in its two main beams.',
      ),
      pageWith(2, 'Inspectors found cracks in the main beams of Ferryhill bridge.'),
    ]);
    expect(text).toContain('deep cracks');
    expect(text.split('## Sources')[0]).not.toContain('Inspectors found cracks');
  });

  test('a finding goes on with the next sentence of its paragraph, and says who wrote it and when', async () => {
    const text = await printed('Why was Ferryhill bridge closed?', [
      {
        ...pageWith(
          1,
          'Ferryhill bridge was closed in May. Divers had found deep cracks in both main beams.',
        ),
        date: '2024-05-17',
      },
      pageWith(
        2,
        'The county had planned a closed season for Ferryhill bridge since 2019.\n\nBuses take the valley road.',
      ),
    ]);
    expect(text).toContain(
      'site-1.example (2024-05-17): “Ferryhill bridge was closed in May. Divers had found deep cracks in both main beams.” [1]',
    );
    expect(text).toContain(
      'site-2.example: “The county had planned a closed season for Ferryhill bridge since 2019.”',
    );
    expect(text.split('## Sources')[0]).not.toContain('Buses');
  });

  test('a notice does not go on a finding, and neither does another finding', async () => {
    const text = await printed('Why was Ferryhill bridge closed?', [
      pageWith(
        1,
        'Ferryhill bridge was closed because of cracks. We use cookies to improve your experience on this site.',
      ),
      pageWith(
        2,
        'Engineers closed Ferryhill bridge in May 2021 for repairs. Ferryhill bridge was closed again in June 2023 after a flood.',
      ),
    ]);
    const report = text.split('## Sources')[0] ?? '';
    expect(report).not.toContain('cookies');
    expect(report.split('after a flood')).toHaveLength(2);
  });

  test('what several sites say, and what is in dispute, is quoted without the sentence after it', async () => {
    const text = await printed('How long is the Aldana canal?', [
      pageWith(1, 'The Aldana canal is 42 kilometres long. Mules drew the barges until 1920.'),
      pageWith(2, 'The Aldana canal is 45 kilometres long. Poplars grow on both of its banks.'),
    ]);
    const conflict = section(text, 'Conflicting Information');
    expect(conflict).toMatch(/“[^”]*42 kilometres long\.” \[\d\] but “[^”]*45 kilometres long\.”/);
    expect(text.split('## Sources')[0]).not.toMatch(/Mules|Poplars/);
  });

  test('what says no more than a finding, or answers less, supports others and is not listed itself', async () => {
    const text = await printed(
      'Who runs the Osprey foundation?',
      pagesOf(
        'The Osprey foundation is run by Leila Haddad. All pictures belong to the people who run about with cameras.',
        'Leila Haddad heads the Osprey foundation. All pictures belong to the people who run about with cameras.',
        'Leila Haddad leads the Osprey foundation.',
        'Leila Haddad was seen at the Osprey foundation.',
      ),
    );
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed).toContain('is run by Leila Haddad');
    expect(listed).not.toMatch(/heads|leads/);
    expect(text).not.toContain('pictures');
    expect(text).not.toContain('site-4.example');
    expect(section(text, 'Supporting Evidence')).toMatch(/2 sites say so: .*(?:heads|leads)/);
  });

  test('the same figures in other words are not listed again, as a finding or after one', async () => {
    const text = await printed('What is known about Arlen fever after a tick bite?', [
      pageWith(
        1,
        'Arlen fever begins between five and twelve days after a tick bite, with a rash on both palms.',
        'Since 1998 Arlen fever has been found in ticks of the valley. A vaccine costs 40 dollars.',
      ),
      pageWith(2, 'After the bite of a tick, Arlen fever breaks out within 5 to 12 days.'),
      pageWith(
        3,
        'Doctors treat Arlen fever after a tick bite with an old antibiotic. The vaccine costs forty dollars.',
      ),
    ]);
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed).toContain('between five and twelve days');
    expect(listed).not.toContain('within 5 to 12 days');
    expect(listed.match(/(?:40|forty) dollars/g)).toHaveLength(1);
    expect(section(text, 'Supporting Evidence')).toMatch(
      /^- 2 sites give the same figure, between five and twelve days: “Arlen fever begins [^”]+” \[\d\], “[^”]+ within 5 to 12 days\.” \[\d\]$/,
    );
  });

  test('a part of the question that no quote speaks of is named', async () => {
    const text = await printed(
      'What did the Ferryhill tunnel cost and who ventilates it?',
      pagesOf(
        'The Ferryhill tunnel cost 40 million dollars.',
        'The Ferryhill tunnel cost taxpayers dearly. Who ventilates the Ferryhill tunnel?',
      ),
    );
    expect(section(text, 'Limitations')).toContain(
      'No quote has the word “ventilates”, which is in the question.',
    );
    expect(section(text, 'Limitations')).not.toContain('cost');
  });

  test('a word that no text has is reported once, as a gap', async () => {
    const text = await printed(
      'What did the Ferryhill tunnel cost and who ventilates it?',
      pagesOf('The Ferryhill tunnel cost 40 million dollars.', 'The Ferryhill tunnel cost taxpayers dearly.'),
    );
    expect(section(text, 'Limitations').match(/“ventilates”/g)).toHaveLength(1);
  });

  test('headings are left out when few findings have one', async () => {
    const text = await printed(
      'What did the Ferryhill tunnel cost and who ventilates it?',
      pagesOf(
        'The Ferryhill tunnel cost 40 million dollars.',
        'The Ferryhill tunnel is ventilated by the county.',
        'The Ferryhill tunnel was bored by miners from Ostby.',
        'The Ferryhill tunnel carries nine thousand cars a day.',
        'The Ferryhill tunnel was closed for a winter.',
      ),
    );
    expect(section(text, 'Key Findings')).toMatch(/^- /);
  });

  test('a common word that is missing from the texts is not reported as open', async () => {
    const text = await printed(
      'What happened to Sennfeld mill and its inspections?',
      pagesOf('Sennfeld mill was inspected in 2019 and found sound.'),
    );
    expect(section(text, 'Limitations')).not.toMatch(/happened|inspection/);
  });

  test('searches that fell back to another provider are told with the reason', async () => {
    const world = await createResearchWorld({
      pages: pagesOf('Wetlands purify water because reeds hold back the mud.'),
    });
    world.sim.script('/web/search', [{ kind: 'status', status: 432, times: 'always' }]);
    const engine = world.open({
      'search.provider': ['tavily', 'searxng'],
      'providers.searxng.base_url': `${world.sim.url}/results`,
      'providers.searxng.pace_ms': 0,
    });
    const text = await printedBy(world, engine, 'How do wetlands purify water?');
    await world.close();
    expect(section(text, 'Limitations')).toMatch(
      /(\d) of \1 searches fell back from tavily to searxng: its quota is used up\./,
    );
  });
});
