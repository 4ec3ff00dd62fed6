import { afterEach, describe, expect, test } from 'vitest';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { verifyQuote } from '../../src/research/verify-quote.ts';
import { findQuote } from '../../src/evidence/quote.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { createScriptedResults, scriptedResultsConfig } from '../support/scripted-results.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** Answers that are quoted from results, as `POST /search` gives them. */
let gateway: TestGateway;
let web: Sim;
afterEach(async () => {
  await gateway.close();
  await web.close();
});

async function answerTo(query: string, contents: string[]): Promise<string | null> {
  const results = contents.map((content, index) => ({
    url: `https://site-${index}.example/`,
    title: `Page ${index}`,
    content,
  }));
  web = await startSim({ upstreams: [createScriptedResults(results)] });
  gateway = await createTestGateway({ config: scriptedResultsConfig(web.url) });
  const response = await gateway.post('/search', { query, include_answer: true });
  expect(response.status).toBe(200);
  const { answer } = (await response.json()) as { answer: string | null };
  for (const quote of quotesOf(answer))
    expect(contents.some((content) => findQuote(quote, content) !== undefined)).toBe(true);
  return answer;
}

const quotesOf = (answer: string | null): string[] =>
  Array.from((answer ?? '').matchAll(/“((?:[^“”]|“[^“”]*”)*)” \(/g), ([, quote = '']) => quote);

const CASES: [name: string, query: string, content: string, quoted: string][] = [
  [
    'English decimals and abbreviations',
    'What was the total revenue of Aldana Water Inc. in 2024?',
    'In 2024 Aldana Water Inc. had total revenue of $23.3 billion, approx. 4.5 % more than Dr. J. R. Ribero expected. The rest is unknown.',
    'In 2024 Aldana Water Inc. had total revenue of $23.3 billion, approx. 4.5 % more than Dr. J. R. Ribero expected.',
  ],
  [
    'German ordinals',
    'Wann wurde die Schleuse von Aldana eröffnet?',
    'Die Schleuse von Aldana wurde am 3. Oktober 1911 von Prof. Dr. M. Ribero eröffnet. Danach kamen ca. 2,5 Mio. Besucher.',
    'Die Schleuse von Aldana wurde am 3. Oktober 1911 von Prof. Dr. M. Ribero eröffnet.',
  ],
  [
    'Spanish abbreviations',
    '¿Quién construyó la compuerta del canal de Aldana?',
    '¿Quién construyó la compuerta del canal de Aldana? La compuerta del canal de Aldana fue construida por la Sra. Ribero en EE. UU. con 1.250 obreros.',
    'La compuerta del canal de Aldana fue construida por la Sra. Ribero en EE. UU. con 1.250 obreros.',
  ],
  [
    'Japanese quotations and figures',
    'アルダナ運河の全長は何キロですか',
    'アルダナ運河の全長は何キロですか？技師は「運河の全長は42.5キロメートルだ。幅は六・五メートルだ。」と述べた。その他は不明である。',
    '技師は「運河の全長は42.5キロメートルだ。幅は六・五メートルだ。」と述べた。',
  ],
  [
    'Chinese decimals',
    '阿尔达纳公司的总收入是多少',
    '阿尔达纳公司的总收入是多少？阿尔达纳公司2024年的总收入为23.3亿美元，增长1.5%。其余情况不明。',
    '阿尔达纳公司2024年的总收入为23.3亿美元，增长1.5%。',
  ],
];

describe('a quoted answer quotes whole sentences', () => {
  test.each(CASES)('%s', async (_name, query, content, quoted) => {
    expect(quotesOf(await answerTo(query, [content]))).toEqual([quoted]);
  });

  test('a question is never the answer, and no answer is better than one', async () => {
    const answer = await answerTo('When was the headgate of Aldana built?', [
      'When was the headgate of Aldana built? Ask us about the headgate of Aldana!',
      'Who built the headgate of Aldana, and when was it built?',
    ]);
    expect(quotesOf(answer).filter((quote) => quote.includes('?'))).toEqual([]);
  });

  test.each([
    ['When was the headgate of Aldana built?', 'in 1911'],
    ['How many gates does the headgate of Aldana have?', 'five gates'],
    ['Wann wurde das Wehr von Aldana gebaut?', 'im Jahr 1911'],
    ['¿Cuándo se construyó la compuerta de Aldana?', 'en 1911'],
    ['阿尔达纳水闸是什么时候建成的？', '1911年'],
  ])('a question for a figure is answered with one, or the answer is marked: %s', async (query, figure) => {
    const subject = query.replace(/^\S+ (?:was|many|wurde|se)?\s?|[?？]$/g, '');
    const vague = `People of the valley like to tell about ${subject} and how it came about, as ${subject} is dear to them.`;
    const exact = `About ${subject}: it has ${figure}, the archive says.`;
    expect(quotesOf(await answerTo(query, [vague, exact]))[0]).toContain(figure);
    await gateway.close();
    await web.close();
    expect(await answerTo(query, [vague])).toMatch(/^The results match the question only in part\./);
  });

  test('up to five sentences are quoted, each with its site and the number of its result', async () => {
    const contents = ['north', 'south', 'east', 'west', 'upper', 'lower', 'old'].map(
      (side) =>
        `The ${side} headgate of Aldana was built by the ${side} canal company of the ${side} valley.`,
    );
    const answer = await answerTo('Who built the headgate of Aldana?', contents);
    expect(quotesOf(answer)).toHaveLength(5);
    expect(answer).toContain('” (site-1.example [2])');
  });

  test.each([
    ['Hindi', 'आल्दाना नहर का द्वार किसने बनवाया?', 'आल्दाना नहर का द्वार मार्ता रिबेरो ने बनवाया था। बाकी अज्ञात है।'],
    [
      'Thai',
      'ใครสร้างประตูน้ำอัลดานา',
      'ประตูน้ำอัลดานาสร้างขึ้นโดยมาร์ตา ริเบโร ซึ่งเป็นเจ้าของโรงสีริมแม่น้ำในหุบเขาแห่งนี้มาเป็นเวลานาน',
    ],
  ])('marks and missing full stops do not hide a sentence: %s', async (_language, query, content) => {
    expect(quotesOf(await answerTo(query, [content]))).toHaveLength(1);
  });

  test('what a search engine cut off is not quoted', async () => {
    const answer = await answerTo('When was the headgate of Aldana built?', [
      '... of the headgate of Aldana was built in 1788 and destroyed. The headgate of Aldana was built in 1911 by Marta Ribero. The headgate of Aldana was built with ...',
    ]);
    expect(quotesOf(answer)).toEqual(['The headgate of Aldana was built in 1911 by Marta Ribero.']);
  });

  test('marks and escapes of Markdown do not stand inside the quotation marks', async () => {
    const answer = await answerTo('Which function opens the headgate of Aldana?', [
      'The function `open_gate(a[0] * 2)` of [the **headgate** of Aldana](https://x.example/a_b) opens it \\[sic\\] at \\$9 for 5 \\* 3 minutes.',
    ]);
    expect(quotesOf(answer)).toEqual([
      'The function open_gate(a[0] * 2) of the headgate of Aldana opens it [sic] at $9 for 5 * 3 minutes.',
    ]);
  });
});

describe('research', () => {
  test.each(CASES)('quotes the same whole sentences, and verify_quote finds them: %s', async (...row) => {
    const [, query, content, quoted] = row;
    web = await startSim({ upstreams: [createScriptedResults([{ title: 'Page', content }])] });
    gateway = await createTestGateway({ web: 'guarded', config: scriptedResultsConfig(web.url) });
    const { services } = gateway.parts;
    const input = { query, max_iterations: 1, max_sub_queries: 1 };
    const { report, session } = await perform(research, input, { call: createCall(services), services });
    expect(report?.executive_summary[0]?.text).toContain(`“${quoted}`);
    const asked = { quote: quoted, research_id: session.research_id };
    expect(await perform(verifyQuote, asked, { call: createCall(services), services })).toMatchObject({
      verified: true,
    });
  });
});
