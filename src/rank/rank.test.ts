import { describe, expect, test } from 'vitest';
import { joinChunks } from './join.ts';
import { rankChunks } from './rank.ts';

const pad = (topic: string) => `${topic} is described at length in this paragraph. `.repeat(12);

describe('rankChunks', () => {
  test('the page that answers comes first with score 1, and its best passage is in it', () => {
    const ranked = rankChunks('how do I close a SQLite database in Node', [
      { id: 'bread', title: 'Baking bread', content: pad('Dough') },
      {
        id: 'sqlite',
        title: 'SQLite in Node',
        content: `${pad('Opening')}\n\nCall database.close() to close the SQLite database.\n\n${pad('Indexing')}`,
      },
      { id: 'node', title: 'Node streams', content: `${pad('A stream')}\n\nClose a stream with end().` },
    ]);
    expect(ranked.map(({ id }) => id)).toEqual(['sqlite', 'node', 'bread']);
    expect(ranked[0]?.score).toBe(1);
    expect(joinChunks(ranked[0]?.chunks ?? [])).toContain('database.close()');
    expect(ranked.at(-1)?.score).toBeLessThan(0.4);
  });

  test('a page is found in Japanese and in Chinese, where no blank separates words', () => {
    const documents = [
      { id: 'ja', content: '梅雨は、北海道と小笠原諸島を除く日本でみられる雨の多い期間のことである。' },
      { id: 'zh', content: '黑豹队的防守只丢了三百分，在联赛中排名第六。' },
      { id: 'en', content: 'The rainy season is a period with much rain.' },
    ];
    expect(rankChunks('日本で梅雨がないのはどこか', documents)[0]?.id).toBe('ja');
    expect(rankChunks('黑豹队丢了多少分？', documents)[0]?.id).toBe('zh');
    expect(rankChunks('rainy period', documents)[0]?.id).toBe('en');
  });

  test('function words of other languages do not match words that begin like them', () => {
    const ranked = rankChunks('¿Quién fue Copérnico?', [
      { id: 'beginning', content: 'Quienquiera que venga puede sentarse.' },
      { id: 'subject', content: 'Copérnico estudió en Cracovia.' },
    ]);
    expect(ranked.map(({ id, score }) => [id, score])).toEqual([
      ['subject', 1],
      ['beginning', 0],
    ]);
  });

  test('words that stand side by side in the question count more where they do so, too', () => {
    const ranked = rankChunks('open source licence', [
      { id: 'apart', content: 'The source of the river lies in the open; to fish there takes a licence.' },
      {
        id: 'together',
        content: 'To fork the river of code, look at the open source licence in its folder.',
      },
    ]);
    expect(ranked[0]?.id).toBe('together');
    expect(ranked[1]?.score).toBeLessThan(0.9);
  });

  test('a Vietnamese word of two syllables is found where they stand together', () => {
    const ranked = rankChunks('Người nào sáng tác bài quốc ca?', [
      { id: 'apart', content: 'Mỗi sáng, ca sĩ từ nhiều quốc gia và một tác giả viết bài.' },
      {
        id: 'together',
        content: 'Buổi lễ bắt đầu với bài quốc ca do Văn Cao sáng tác vào những năm chiến tranh ấy.',
      },
      { id: 'match', content: 'Trận đấu kết thúc với tỉ số hòa sau hai hiệp phụ.' },
      { id: 'rain', content: 'Mùa mưa ở miền Nam kéo dài từ tháng năm đến tháng mười một.' },
      { id: 'library', content: 'Thư viện mở cửa lúc tám giờ và đóng cửa lúc năm giờ chiều.' },
      { id: 'fare', content: 'Giá vé tàu tăng vào những ngày lễ.' },
    ]);
    expect(ranked[0]?.id).toBe('together');
  });

  test('of passages with the same words the one that begins with those of the question comes first', () => {
    const rest = 'Sailors of every harbour wait for it with nets, lamps and patience before the boats go out';
    const ranked = rankChunks('spring tide', [
      { id: 'ends', content: `${rest} to meet the spring tide.` },
      { id: 'begins', content: `The spring tide comes twice a month. ${rest}.` },
    ]);
    expect(ranked.map(({ id }) => id)).toEqual(['begins', 'ends']);
  });

  test('a passage on the subject of the best comes before one that only shares a word with the question', () => {
    const ranked = rankChunks('how do locks lift boats', [
      { id: 'doors', content: 'Door locks: a cylinder with pins, a key and a bolt.' },
      { id: 'canal', content: 'Canal locks: a chamber between two gates, with a sluice and water in it.' },
      {
        id: 'best',
        content:
          'Boats are lifted by locks: water fills the chamber through a sluice until the gates open on the canal.',
      },
    ]);
    expect(ranked.map(({ id }) => id)).toEqual(['best', 'canal', 'doors']);
  });

  test('inflected German words find each other by their pieces', () => {
    const ranked = rankChunks('Versicherungspflicht für Radfahrer', [
      { id: 'other', content: 'Das Wetter wird morgen schön und warm, sagt der Bericht.' },
      { id: 'hit', content: 'Wer mit dem Fahrrad fährt, ist nicht versicherungspflichtig.' },
    ]);
    expect(ranked[0]?.id).toBe('hit');
    expect(ranked[0]?.score).toBe(1);
  });

  test('passages come in the order of the page, at most chunksPerSource of them, joined as Tavily does', () => {
    const content = [
      'First about tides.',
      pad('Sand'),
      'Then tides and moon.',
      pad('Salt'),
      'Last the moon, tides and moon.',
    ].join('\n\n');
    const [ranked] = rankChunks('moon tides', [{ id: 'sea', content }], { chunksPerSource: 2 });
    const chunks = ranked?.chunks ?? [];
    expect(chunks).toHaveLength(2);
    expect(chunks[0]?.start).toBeLessThan(chunks[1]?.start ?? 0);
    expect(joinChunks(chunks)).toContain(' [...] ');
    for (const { text, start, end } of chunks) expect(content.slice(start, end)).toBe(text);
  });

  test.each([
    ['Sand and salt.', 'Then tides.', 'Sand and salt. [...] Then tides.'],
    ['```\nlet a;\n```', 'Then tides.', '```\nlet a;\n```\n\n [...] \n\nThen tides.'],
    ['Sand.', '| a | b |', 'Sand.\n\n [...] \n\n| a | b |'],
    ['Sand.\n\n- one', '## Tides', 'Sand.\n\n- one\n\n [...] \n\n## Tides'],
  ])('the joint of %j and %j breaks neither', (first, second, expected) => {
    const chunks = [first, second].map((text) => ({ text, start: 0, end: text.length }));
    expect(joinChunks(chunks)).toBe(expected);
  });

  test('a copied passage is given once, and the page that only copies says of whom', () => {
    const passage =
      'The headgate lets water from the river into the canal and measures how much of it flows.';
    const ranked = rankChunks('headgate water canal', [
      { id: 'copy', content: passage.replace('headgate lets', 'Headgate — lets') },
      { id: 'original', title: 'Headgate', content: `${passage}\n\nThe canal of the headgate.` },
    ]);
    expect(ranked.map(({ id }) => id)).toEqual(['original', 'copy']);
    expect(ranked[1]).toMatchObject({ chunks: [], duplicateOf: 'original' });
  });

  test('the words in the address of a link are not what a passage says', () => {
    const ranked = rankChunks('spring tide', [
      {
        id: 'linked',
        content: 'Look [here](https://example.org/spring-tide/spring/tide?spring=tide#spring-tide) for more.',
      },
      {
        id: 'said',
        content: 'Sailors wait in the harbour, since at last the tide of spring has come to it.',
      },
    ]);
    expect(ranked.map(({ id, score }) => [id, score > 0])).toEqual([
      ['said', true],
      ['linked', false],
    ]);
  });

  test('a list of links to sections gives way to a section', () => {
    const content = [
      '- [Gifts](https://example.org/p#Gifts)\n- [Loved gifts](https://example.org/p#Loved)\n- [Hated gifts](https://example.org/p#Hated)',
      pad('Sand'),
      'Of all the gifts that people bring to her house every year she loved the diamonds and the poppies.',
    ].join('\n\n');
    const [ranked] = rankChunks('loved gifts', [{ id: 'a', content }], { chunksPerSource: 1 });
    expect(ranked?.chunks[0]?.text).toContain('diamonds');
  });

  test('a passage that only shares a common word with the question does not fill the answer', () => {
    const content = [
      `What a quiet harbour! ${'Boats, nets, lamps and men sleep until noon. '.repeat(10)}`,
      `Spring tides raise the ferry ramp by three metres. ${pad('Salt')}`,
    ].join('\n\n');
    const [ranked] = rankChunks('what do spring tides do to the ferry ramp', [{ id: 'a', content }]);
    expect(ranked?.chunks).toHaveLength(1);
  });

  test('a line that names the thing does not come before a passage that tells of it', () => {
    const content = [
      'See also: Harbour Trust',
      pad('Sand'),
      `The town council founded the Harbour Trust when the old pier broke in a winter storm. ${'Boats came and went. '.repeat(16)}`,
      pad('Salt'),
    ].join('\n\n## Part\n\n');
    const [ranked] = rankChunks('founded Harbour Trust', [{ id: 'a', content }], { chunksPerSource: 1 });
    expect(ranked?.chunks[0]?.text).toContain('town council');
  });

  test('a page without any match keeps its beginning and scores 0', () => {
    const ranked = rankChunks('zebra', [{ id: 'a', content: `Beginning here.\n\n${pad('Other')}` }]);
    expect(ranked[0]?.score).toBe(0);
    expect(ranked[0]?.chunks.map(({ start }) => start)).toEqual([0]);
  });

  test('empty pages and an empty query are answered', () => {
    expect(rankChunks('x', [])).toEqual([]);
    expect(rankChunks('', [{ id: 'a', content: '' }])).toEqual([{ id: 'a', score: 0, chunks: [] }]);
  });

  test('term weights do not come from the candidates alone: a word that all share still loses to the rare one', () => {
    // Every candidate of a filtered search has the topic; `how` is in one of them only and must not decide.
    const ranked = rankChunks('how does quicksort partition', [
      { id: 'how', content: 'Quicksort: how it came to be, how it was named and how people like it.' },
      { id: 'partition', content: 'Quicksort has a partition step around the pivot.' },
    ]);
    expect(ranked[0]?.id).toBe('partition');
  });
});
