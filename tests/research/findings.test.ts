import { describe, expect, test } from 'vitest';
import { pageWith, type WebPage } from '../support/page-web.ts';
import { NO_CONTRADICTION, printed, section } from '../support/research/printed.ts';

describe('what is chosen from the pages', () => {
  test('a figure on a page about the question is quoted, though it has none of its words', async () => {
    const rent = (index: number, title: string, ...paragraphs: string[]): WebPage => ({
      ...pageWith(index, ...paragraphs),
      title: `${title} of the rent cap in Oldhaven`,
    });
    const text = await printed('What effects has the rent cap had in Oldhaven?', [
      rent(
        1,
        'Five years',
        'The rent cap divides Oldhaven, and the council argues about it.',
        'Agents see half as many flats come up as five years ago, and most are gone by the evening.',
      ),
      rent(
        2,
        'The market and the friends',
        'The rent cap of Oldhaven is a law of the city council.',
        'Estate agents list 48 percent fewer flats than five years ago.',
      ),
    ]);
    expect(text.split('## Analysis')[0]).toMatch(/half as many flats|48 percent fewer flats/);
  });

  test('a part of the question has a finding, though others match better', async () => {
    const text = await printed('Why did Tollan mill close, and what became of its weavers?', [
      pageWith(
        1,
        'Tollan mill closed in 2019 after 3 years of losses of 12 million crowns.',
        'The mill had to close because orders fell by 40 percent between 2015 and 2018.',
        'Tollan mill paid 9 percent more for yarn in 2018 than its 2 rivals.',
      ),
      pageWith(
        2,
        'Orders of Tollan mill fell by 40 percent, and losses were 12 million crowns in 3 years.',
        'Tollan mill closed in March 2019, 130 years after it was founded.',
        'Yarn for Tollan mill was 9 percent dearer in 2018 than for its 2 rivals.',
      ),
      pageWith(
        3,
        'Tollan mill stood beside the river for more than a century.',
        'Most weavers went to the carpet works down the river, which belong to a foundation.',
      ),
    ]);
    expect(text.split('## Analysis')[0]).toContain('Most weavers went to the carpet works');
  });

  test('a line that several sites have with other figures is no finding', async () => {
    const text = await printed('What is known about the end of Tollan mill?', [
      pageWith(
        1,
        'Tollan mill was given up by its owners.',
        'Read 12 comments about the mill by 48 members.',
      ),
      pageWith(2, 'The end of Tollan mill came slowly.', 'Read 7 comments about the mill by 31 members.'),
    ]);
    expect(text).toContain('given up by its owners');
    expect(text).not.toContain('comments');
  });

  test('of a list of places, the line of the one that is asked for is quoted, however long, and no other', async () => {
    const text = await printed('What does the tourist levy in Port Valmer cost, and who is exempt?', [
      pageWith(
        1,
        'The tourist levy of the coast is due each year, and its rates are set by the councils of the towns.',
        '## Towns',
        [
          '- Anse Rouge: 300 euros a year, main homes exempt',
          '- Port Valmer: 480 euros a year from 2026 on, main homes exempt, and so are homes that are let for fewer than 30 nights and those of seasonal workers',
          '- Tourville: 150 euros a year, homes that are let for fewer than 60 nights exempt',
          '- Cap Lauret: 520 euros a year, nobody exempt',
        ].join('\n'),
      ),
      pageWith(
        2,
        'The council of Port Valmer has decided on a tourist levy of 480 euros a year for each home.',
        'Whoever lets a room of the home they live in pays nothing.',
      ),
    ]);
    expect(text).toContain('Port Valmer: 480 euros a year from 2026 on');
    expect(text).not.toMatch(/300 euros|150 euros|520 euros/);
  });

  test('what is said of another number of a series is not quoted', async () => {
    const pages = [
      pageWith(
        1,
        'The HALCYON-3 trial of velostamab was stopped on 3 June 2025 because 31 of 412 patients had damage to the liver.',
        'In the HALCYON-2 trial, velostamab slowed the loss of kidney function by 38 percent.',
      ),
      pageWith(
        2,
        'HALCYON-3 ended early after liver enzymes rose in 7.5 percent of the patients who took velostamab.',
        'HALCYON-2 had 240 patients in 31 hospitals, who took velostamab for 48 weeks.',
      ),
    ];
    const text = await printed('Why was the HALCYON-3 trial of velostamab stopped?', pages);
    expect(text).toContain('31 of 412 patients');
    expect(text).not.toContain('HALCYON-2');
    const nearest = await printed('How many patients did the HALCYON-4 trial of velostamab have?', pages);
    expect(nearest).toMatch(/HALCYON-[23]/);
  });

  test('a page on a namesake is not quoted, though it has all words of the question', async () => {
    const text = await printed(
      'Why did the Halvorsen cannery in Skarvik close, and what happened to the workers?',
      [
        {
          ...pageWith(
            1,
            'The Halvorsen cannery in Skarvik is a restaurant whose workers close the kitchen at 22.',
            'What happened in the Halvorsen cannery in Skarvik on 14 evenings was music, and the workers danced.',
            'Why the Halvorsen cannery is so close to the quay of Skarvik is a question that our 9 workers often hear.',
            'Mussels with fennel, smoked reindeer, cloudberry parfait and 30 sorts of aquavit are on the menu.',
            'A terrace with blankets and lanterns seats 60 guests, and dogs are welcome under the tables.',
            'Vouchers for brunch, weddings and anniversaries can be bought at the bar or by telephone.',
          ),
          title: 'The Halvorsen cannery, a restaurant in Skarvik',
        },
        {
          ...pageWith(
            2,
            'The owner, Nordsild, gave the plant up in October 2019 because herring landings had fallen by 62 percent.',
            'Of 184 people on the payroll, 71 found a place at the Brennevik smokehouse.',
            'The union Fellesforbund took Nordsild to the labour court in Tromsdal and won 4.2 million crowns.',
          ),
          title: 'Herring, Nordsild and the end of a plant',
        },
        {
          ...pageWith(
            3,
            'Nordsild blamed herring landings, down 62 percent in six years, for the end of the Halvorsen plant.',
            'The labour court in Tromsdal awarded the union Fellesforbund 4.2 million crowns in 2021.',
            'A third of the 184 who lost their posts moved away from Skarvik.',
          ),
          title: 'Tromsdal court on the Halvorsen cannery',
        },
        {
          ...pageWith(
            4,
            'Fellesforbund counts 71 former workers of Nordsild at the Brennevik smokehouse.',
            'Herring left the fjord, says the institute in Tromsdal, and Nordsild shut the cannery in October 2019.',
          ),
          title: 'Skarvik after the cannery',
        },
      ],
    );
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed).toContain('62 percent');
    expect(listed).toContain('Brennevik smokehouse');
    expect(listed).not.toMatch(/restaurant|danced|quay/);
  });

  const HALVORSEN = 'Why did the Halvorsen cannery in Skarvik close, and what happened to the workers?';
  const told = [
    'Nordsild gave the Halvorsen cannery up in October 2019 because herring landings had fallen by 62 percent in six years.',
    'Of the 184 workers on the payroll of the Halvorsen cannery, 71 found a place at the Brennevik smokehouse by 2021.',
    'The labour court in Tromsdal awarded the workers of Nordsild 4.2 million crowns in 2021 for wages they were owed.',
    'A third of the 184 workers who lost their posts at the cannery had moved away from Skarvik by 2022.',
    'Herring landings in Skarvik fell so far that Nordsild could not pay for the new freezers which the state had demanded in 2018.',
    'Fellesforbund ran a course for 40 former workers in Tromsdal in 2020, of whom 31 had a new trade a year later.',
  ];
  const retold = told.map((sentence) => sentence.replace(/^(?:The|A) /, 'As reported, the '));

  test('what a thing is, what was long before and whom somebody quotes come after what is asked', async () => {
    const text = await printed(HALVORSEN, [
      {
        ...pageWith(
          1,
          'The Halvorsen cannery is a listed building on the quay of Skarvik with room for 184 workers and their herring.',
          'The Halvorsen cannery in Skarvik was opened by Nordsild in 1921, and its first workers came from Tromsdal by boat.',
          ...told.slice(0, 3),
        ),
        title: 'The Halvorsen cannery in Skarvik',
      },
      {
        ...pageWith(
          2,
          '“My mother and her sisters were workers of the Halvorsen cannery in Skarvik,” says Ane Lund at the door of Nordsild.',
          ...told.slice(3),
        ),
        title: 'Skarvik after the Halvorsen cannery',
      },
      { ...pageWith(3, ...retold.slice(1, 4)), title: 'Workers of the Halvorsen cannery' },
    ]);
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed).toContain('62 percent');
    expect(listed).not.toMatch(/listed building|opened by Nordsild in 1921|My mother/);
  });

  test('what was long ago is quoted where that is asked', async () => {
    const text = await printed('When was the Halvorsen cannery in Skarvik opened, and who opened it?', [
      {
        ...pageWith(
          1,
          'The Halvorsen cannery in Skarvik was opened by Nordsild in 1921.',
          ...told.slice(0, 3),
        ),
        title: 'The Halvorsen cannery in Skarvik',
      },
      { ...pageWith(2, ...told.slice(3)), title: 'Skarvik after the Halvorsen cannery' },
      { ...pageWith(3, ...retold.slice(1, 4)), title: 'Workers of the Halvorsen cannery' },
    ]);
    expect(section(text, 'Executive Summary')).toContain('opened by Nordsild in 1921');
  });

  test('what happened on a printed day is not told again, nor is a figure that is only rounded', async () => {
    const text = await printed('Why was the Ferryhill tunnel closed, and how many cars used it?', [
      pageWith(
        1,
        'The Ferryhill tunnel was closed on 3 May 2026 because engineers found cracks in its lining.',
        'Some 86,400 cars used the Ferryhill tunnel in a week before it was closed.',
      ),
      pageWith(
        2,
        'From 06:00 on 3 May 2026 driving through the Ferryhill tunnel is prohibited by its engineers.',
      ),
      pageWith(3, 'About 86,000 cars used to drive through the Ferryhill tunnel in a week.'),
      pageWith(4, 'On 3 May 2026 the mayor Ada Quill cancelled the race through the Ferryhill tunnel.'),
    ]);
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed).toContain('found cracks in its lining');
    expect(listed).toContain('Ada Quill');
    expect(listed).not.toContain('06:00');
    expect(listed.match(/86,[04]00/g)).toHaveLength(1);
  });

  test('a third of the words and figures of a sentence are enough to know it from a finding', async () => {
    const text = await printed('Why was the Ferryhill tunnel closed?', [
      pageWith(
        1,
        'The Ferryhill tunnel was closed because inspectors found cracks in nine of the beams that carry its roadway.',
      ),
      pageWith(
        2,
        'Since February the Ferryhill tunnel has been barred to traffic because of cracks in beams under its ceiling, wardens announced.',
      ),
    ]);
    expect(text.split('## Analysis')[0]?.match(/cracks/g)).toHaveLength(1);
  });

  test('with four findings, only what is likely to belong in a report is added', async () => {
    const text = await printed(HALVORSEN, [
      {
        ...pageWith(1, ...told.slice(0, 3)),
        title: 'The Halvorsen cannery in Skarvik',
      },
      {
        ...pageWith(
          2,
          ...told.slice(3, 5),
          'Fellesforbund ran a choir for 40 former workers in Tromsdal in 2020, of whom 31 sang at the fair a year later.',
        ),
        title: 'Skarvik after the Halvorsen cannery',
      },
      { ...pageWith(3, ...retold.slice(1, 4)), title: 'Workers of the Halvorsen cannery' },
    ]);
    const listed = text.split('## Analysis')[0] ?? '';
    expect(listed.match(/“/g)?.length).toBeGreaterThanOrEqual(4);
    expect(listed).not.toContain('choir');
  });

  test('two sites that share nothing but a unit do not give the same figure', async () => {
    const text = await printed('What do studies say about Tolvena?', [
      pageWith(1, 'Tolvena lowered the score of patients by 11 points when they took 15 mg in the evening.'),
      pageWith(2, 'Pharmacies sell Tolvena as capsules of 15 mg with a prescription.'),
    ]);
    expect(section(text, 'Supporting Evidence')).not.toContain('15 mg');
  });

  test('a scale and a version are no figures that sites agree on', async () => {
    const text = await printed('What do studies say about Tolvena and its app?', [
      pageWith(
        1,
        'Tolvena lowered the severity by 4 points on a 40-point scale, and its app has version 4.2.1.',
      ),
      pageWith(
        2,
        'The gain in severity was 6 points on a 40-point scale; update the app of Tolvena to version 4.2.1.',
      ),
    ]);
    expect(section(text, 'Supporting Evidence')).not.toMatch(/same figure/);
  });

  test('figures of sentences that do not name what is asked about are not in dispute', async () => {
    const text = await printed('Is the migraine drug Orvexa any good, and is it expensive?', [
      pageWith(
        1,
        'The migraine drug Orvexa helps half of all patients.',
        'A pack has a list price of 212 crowns a month in most shops.',
      ),
      pageWith(
        2,
        'Velomig is another drug against migraine than Orvexa.',
        'A pack has a list price of 389 crowns a month in most shops.',
      ),
    ]);
    expect(section(text, 'Conflicting Information')).toBe(NO_CONTRADICTION);
  });

  test('a sentence has the subject of the heading above it', async () => {
    const text = await printed('What caused the cracks in Ferryhill bridge?', [
      {
        ...pageWith(1),
        title: 'Ferryhill bridge',
        text: `Ferryhill bridge has two lanes and was painted by a keeper from the north.\n\n## Cause of the cracks\n\nSalt had eaten the bolts for forty winters.\n\n## Visitors\n\nThe toll was paid by a captain of the ferry for forty years.`,
      },
    ]);
    expect(text).toContain('Salt had eaten the bolts');
    expect(text).not.toContain('captain');
  });

  test('a fact in a list is quoted, though it has no full stop', async () => {
    const text = await printed('When does the Ferryhill tunnel open?', [
      {
        ...pageWith(1),
        text: '- Length: 840 metres\n- Opening of the Ferryhill tunnel: 12 October 2026\n- Share: all',
      },
    ]);
    expect(text).toContain('“Opening of the Ferryhill tunnel: 12 October 2026”');
  });

  test('parts of a whole are in no dispute with another part, nor are two editions of a leaflet', async () => {
    const text = await printed('Who owns the Tollan club?', [
      pageWith(
        1,
        'The Brandt family takes 70 percent of the shares of the Tollan club, and the Tollan trust takes 25 percent.',
        'Tollan club leaflet 118, revised in April 2024.',
      ),
      pageWith(
        2,
        'The Tollan trust takes 27 percent of the shares of the Tollan club.',
        'Tollan club leaflet 97, revised in March 2023.',
      ),
    ]);
    expect(section(text, 'Conflicting Information')).toBe(NO_CONTRADICTION);
  });

  test('the minutes of a time are no figure that two sites give', async () => {
    const text = await printed('Was the crossing of Lucia Ferrante ratified?', [
      pageWith(1, 'The crossing by Lucia Ferrante on 22 August (5:39:04) was not ratified by the panel.'),
      pageWith(
        2,
        'A ratification panel voted four to one against recognising Lucia Ferrante and her 5:39:04.',
      ),
    ]);
    expect(section(text, 'Supporting Evidence')).not.toContain('39');
  });

  test('a figure that another source puts right is not the same figure', async () => {
    const text = await printed('What did the zone in Merrow do for the air?', [
      pageWith(1, 'The zone in Merrow lowered nitrogen dioxide in the air by 26 percent in three years.'),
      pageWith(
        2,
        'The university says that nitrogen dioxide in the air of the zone in Merrow fell by less than the 26 percent of the council.',
      ),
    ]);
    expect(text).toContain('lowered nitrogen dioxide in the air by 26 percent');
    expect(text).not.toContain('sites give the same figure');
  });

  test('every site that is said to give a figure is quoted with it', async () => {
    const text = await printed('What happened at the Merrow barrier in the storm?', [
      pageWith(
        1,
        'The Merrow barrier failed in the storm, 640 homes were flooded, and mending it took 38 million pounds.',
      ),
      pageWith(2, 'Water from the Merrow barrier ran over the quays and into 640 homes and a school.'),
      pageWith(3, 'Engineers mended the gates of the Merrow barrier for 38 million pounds.'),
    ]);
    const lines = section(text, 'Supporting Evidence').split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const [, count, figure = ''] = /^- (\d) sites give the same figure, ([\d]+)/.exec(line) ?? [];
      expect(count).toBe('2');
      expect(line.match(/“[^”]+”/g)?.every((quote) => quote.includes(figure))).toBe(true);
    }
  });

  test('an answer is not replaced by a sentence with the same date', async () => {
    const text = await printed('When did the Ferryhill tunnel open?', [
      pageWith(1, 'The Ferryhill tunnel did open for drivers on 3 May 2021.'),
      pageWith(
        2,
        'On 3 May 2021 drivers saw smoke from burning lamps in the eastern gallery of the Ferryhill tunnel.',
      ),
    ]);
    expect(text).toContain('did open for drivers on 3 May 2021');
  });

  test('the answer to a part of the question is printed, though it has a figure that is in dispute', async () => {
    const text = await printed('How long is the Aldana canal, and who repaired its gates?', [
      pageWith(1, 'The Aldana canal is 42 kilometres long.'),
      pageWith(2, 'The Aldana canal is 45 kilometres long.'),
      pageWith(
        3,
        'Engineers from Tollan repaired the gates of the Aldana canal, which is 42 kilometres long.',
      ),
    ]);
    expect(section(text, 'Conflicting Information')).toContain('42 kilometres or 45 kilometres');
    expect(text).toContain('Engineers from Tollan repaired the gates');
  });

  test('the summary has a finding for each part of the question', async () => {
    const text = await printed('When did the Ferryhill tunnel open, and why was it dearer than planned?', [
      pageWith(
        1,
        'The Ferryhill tunnel has two tubes, 14 crossings, 62 fans and 840 lamps on its 3 kilometres under the hill.',
        'The Ferryhill tunnel is used by 12,000 drivers on a working day, who save 11 minutes on their way.',
      ),
      pageWith(
        2,
        'The Ferryhill tunnel opened to drivers on 3 May 2021.',
        'It was dearer than planned because water broke into the eastern tube twice.',
      ),
      pageWith(
        3,
        'In the Ferryhill tunnel 62 fans keep the air clean, and 9 people watch them on 40 screens.',
      ),
    ]);
    const summary = section(text, 'Executive Summary');
    expect(summary).toContain('opened to drivers on 3 May 2021');
    expect(summary).toContain('because water broke into the eastern tube');
  });

  test('a finding does not go on with a sentence about something else', async () => {
    const mill = (place: number, ...paragraphs: string[]): WebPage => ({
      ...pageWith(place),
      text: paragraphs.join('\n\n'),
    });
    const text = await printed('Why did the Halvorsen cannery in Skarvik close?', [
      mill(
        1,
        'Nordsild closed the Halvorsen cannery in October 2019 because herring landings had fallen by 62 percent. A dog called Balder sleeps beside the tills of its neighbour.',
        'The union Fellesforbund took Nordsild to the labour court in Tromsdal and won 4.2 million crowns.',
      ),
      mill(
        2,
        'Herring landings fell by 62 percent in the fjord, and Nordsild gave the Halvorsen cannery up in October 2019.',
        'The labour court in Tromsdal awarded Fellesforbund 4.2 million crowns.',
      ),
      mill(3, 'Fellesforbund counts 71 workers of Nordsild at the Brennevik smokehouse since October 2019.'),
      mill(
        4,
        'Of 184 workers at the Halvorsen cannery, 71 found a place at the Brennevik smokehouse, says Nordsild.',
      ),
    ]);
    expect(text).toContain('62 percent');
    expect(text).not.toContain('Balder');
  });

  test('of two pages that answer alike, the newer one comes first', async () => {
    const text = await printed('Who runs the ferry to Skarsholm?', [
      { ...pageWith(1, 'The ferry to Skarsholm is run by Nordlinje.'), date: '2012-03-01' },
      { ...pageWith(2, 'The ferry to Skarsholm is run by Havruten.'), date: '2025-03-01' },
    ]);
    expect(section(text, 'Executive Summary')).toMatch(/^site-2\.example \(2025-03-01\): “[^”]*Havruten/);
  });
});
