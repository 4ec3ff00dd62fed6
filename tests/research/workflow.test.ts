import { afterEach, describe, expect, test } from 'vitest';
import { perform } from '../../src/operations/perform.ts';
import { verifyQuote } from '../../src/research/verify-quote.ts';
import { checkReport } from '../support/research/check-report.ts';
import { createResearchWorld, QUESTION, type ResearchWorld } from '../support/research/world.ts';

/** Deep research end to end (research spec 7): real sockets, Tavily's wire, the simulator's library of pages, no model. */
let world: ResearchWorld;
afterEach(() => world.close());

const reportOf = async (input: Record<string, unknown> = {}, config: Record<string, unknown> = {}) => {
  world = await createResearchWorld({ config });
  const { report, session } = await world.research(input);
  if (report === null) throw new Error('There is no report.');
  return { report, session };
};

describe('research without a model', () => {
  test('answers with quotes, every one of which stands in its source', async () => {
    const { report, session } = await reportOf();
    expect(session).toMatchObject({ status: 'completed', phase: 'done', is_complete: true });
    expect(report.outcome).toBe('ok');
    expect(report.markdown).toContain('“The headgate of the Aldana canal was built in 1911');
    expect(report.markdown).toContain('20 percent of the water');
    expect(report.findings.length).toBeGreaterThan(6);
    await checkReport(report, world.engine.services);
  });

  test('contradictions in dates and figures are pointed out, with both sources', async () => {
    const { report } = await reportOf({
      query: 'Aldana canal headgate built and how long is the canal',
      max_sub_queries: 8,
    });
    const text = report.conflicting_information.map((one) => one.text).join('\n');
    expect(text).toMatch(/1911 or 1908|1908 or 1911/);
    expect(text).toMatch(/4[27] kilometres or 4[27] kilometres/);
    for (const conflict of report.conflicting_information)
      expect(conflict.citations.length).toBeGreaterThan(1);
    // Said once, not again as an open question.
    expect(report.limitations.join('\n')).not.toMatch(/disagree|contradict/);
  });

  test('what sites say alike is support, with high confidence', async () => {
    const { report } = await reportOf({
      query: 'How much water do leaks in the unlined part of the Aldana canal lose?',
    });
    const [support] = report.supporting_evidence;
    expect(support?.text).toContain('2 sites say so: “Leaks in the unlined part');
    expect(support?.citations).toHaveLength(2);
  });

  test('a copy of a page under another address is one source', async () => {
    const { report } = await reportOf({
      query: 'How long is the Aldana canal, and how many farms does it serve?',
    });
    const titles = report.sources.map((source) => source.title);
    expect(titles.filter((title) => title === 'The Aldana canal: a short overview')).toHaveLength(1);
  });

  test('a page that gives orders to machines is not quoted where it does', async () => {
    const { report } = await reportOf({ query: 'Best Aldana canal deals brochure' });
    expect(report.markdown).toContain('Best Aldana canal deals');
    expect(report.markdown).not.toMatch(/ignore all previous|API key/i);
  });

  test('research spec 7.3: extract fills the content that a search did not bring', async () => {
    const { report } = await reportOf();
    expect(world.sent('/topics/search').every((body) => !body['include_raw_content'])).toBe(true);
    expect(world.sent('/topics/extract').length).toBeGreaterThan(0);
    expect(report.sources.some((source) => source.text_kind === 'content')).toBe(true);
  });

  test('follow_links: false reads no pages, and the report says that it knows only snippets', async () => {
    const { report } = await reportOf({ follow_links: false, max_iterations: 1 });
    expect(world.sent('/topics/extract')).toEqual([]);
    expect(report.limitations.join(' ')).toContain('only the search engine’s snippet');
    const listed = report.markdown.split('## Sources')[1]?.match(/^\d+\. .*$/gm) ?? [];
    expect(listed.filter((line) => !line.includes(', snippet only'))).toEqual([]);
    expect(listed).not.toEqual([]);
    await checkReport(report, world.engine.services);
  });

  test('a question that nobody can answer is an empty report, not an invented one', async () => {
    const { report } = await reportOf({ query: 'zyxwvut qqqq' });
    expect(report).toMatchObject({ outcome: 'empty', findings: [], sources: [] });
    expect(report.markdown).toContain('Nothing could be found that answers the question.');
    await checkReport(report, world.engine.services);
  });
});

describe('research spec 6.2: the mode decides what is sent upstream', () => {
  test.each([
    ['general', { search_depth: 'basic', chunks_per_source: 3 }],
    ['academic', { search_depth: 'advanced', chunks_per_source: 3, include_raw_content: 'markdown' }],
    ['technical', { search_depth: 'advanced', chunks_per_source: 3, include_raw_content: 'markdown' }],
  ])('%s', async (mode, expected) => {
    await reportOf({ mode, max_iterations: 1 });
    const sent = world.sent('/topics/search');
    expect(sent.length).toBe(5);
    for (const body of sent)
      expect(body).toMatchObject({ ...expected, topic: 'general', include_images: false });
  });

  test('configuration wins over the mode, an argument over both', async () => {
    await reportOf({ mode: 'academic', max_iterations: 1 }, { 'research.tavily_search_depth': 'basic' });
    expect(world.sent('/topics/search')[0]).toMatchObject({ search_depth: 'basic' });
    await world.close();
    await reportOf(
      { mode: 'academic', max_iterations: 1, search_depth: 'fast' },
      { 'research.tavily_search_depth': 'basic' },
    );
    expect(world.sent('/topics/search')[0]).toMatchObject({ search_depth: 'fast' });
  });

  test('the news topic goes out with its days', async () => {
    await reportOf(
      { max_iterations: 1 },
      { 'research.tavily_topic': 'news', 'research.tavily_news_days': 7 },
    );
    const [body] = world.sent('/topics/search');
    expect(body).toMatchObject({ topic: 'news', start_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  });

  test('the configured mode is the default', async () => {
    const { report } = await reportOf({ max_iterations: 1 }, { 'research.deep_research_mode': 'technical' });
    expect(report.mode).toBe('technical');
    expect(report.sources.find((source) => source.url.includes('docs.aldana'))?.quality).toBe('high');
  });
});

describe('budgets', () => {
  test('max_credits is never exceeded, and the report is the best that it buys', async () => {
    const { report, session } = await reportOf({ max_credits: 3, mode: 'academic' });
    expect(session.credits).toBeLessThanOrEqual(3);
    expect(report.outcome).toBe('partial');
    expect(report.limitations.join(' ')).toContain('credit limit');
    expect(report.findings.length).toBeGreaterThan(0);
  });

  test('a search that fails gives its credits back', async () => {
    world = await createResearchWorld();
    world.sim.script({ path: '/topics/search', contains: 'facts statistics' }, [
      { kind: 'status', status: 500 },
    ]);
    const { session, report } = await world.research({
      max_credits: 5,
      max_iterations: 1,
      follow_links: false,
    });
    // Five searches were made, one failed: four are paid for.
    expect(session.credits).toBe(4);
    expect(report?.limitations.join(' ')).toContain('1 of 5 searches failed');
  });

  test('at the deadline the best partial report is returned', async () => {
    world = await createResearchWorld();
    world.sim.script({ path: '/topics/search', contains: 'facts statistics' }, [{ kind: 'hang' }]);
    const { session, report } = await world.research({ timeout: 1 });
    expect(session).toMatchObject({ status: 'completed', timed_out: true });
    expect(report?.outcome).toBe('partial');
    expect(report?.limitations[0]).toContain('The time ran out');
    expect(report?.findings.length).toBeGreaterThan(0);
  });
});

describe('a provider that fails', () => {
  test('dies half way: a partial report that says so, and no further iterations', async () => {
    world = await createResearchWorld();
    world.sim.script('/topics/search', [
      { kind: 'pass', times: 2 },
      { kind: 'status', status: 503, times: 'always' },
    ]);
    const { session, report } = await world.research({ max_concurrent: 1 });
    expect(session.status).toBe('completed');
    expect(session.iteration).toBe(1);
    expect(report?.outcome).toBe('partial');
    expect(report?.limitations.join(' ')).toMatch(/provider failed.*3 of 5 searches failed/s);
    expect(report?.findings.length).toBeGreaterThan(0);
  });

  test('from the beginning: the call fails and says how to go on', async () => {
    world = await createResearchWorld();
    world.sim.script('/topics/search', [{ kind: 'status', status: 503, times: 'always' }]);
    await expect(world.research({})).rejects.toMatchObject({
      code: 'upstream_unavailable',
      remediation: expect.stringContaining('Resume deepres-'),
    });
  });

  test('pages that cannot be read leave their snippets', async () => {
    world = await createResearchWorld();
    world.sim.script('/topics/extract', [{ kind: 'status', status: 500, times: 'always' }]);
    const { report } = await world.research({ max_iterations: 1 });
    expect(report?.outcome).toBe('ok');
    expect(report?.limitations.join(' ')).toContain('could not be read');
    expect(report?.findings.length).toBeGreaterThan(0);
  });
});

describe('verify_quote', () => {
  const verify = (input: Record<string, unknown>) =>
    perform(verifyQuote, input, { call: world.call(), services: world.engine.services });

  test('finds a quote in a page that it reads', async () => {
    world = await createResearchWorld();
    const url = 'https://museum.aldana.example/canal';
    const quote = 'the headgate of the aldana canal was built in 1911';
    const verdict = await verify({ url, quote });
    expect(verdict).toMatchObject({ verified: true, match: 'normalised', url });
    expect(verdict.found).toBe('The headgate of the Aldana canal was built in 1911');
  });

  test('says no to what is nearly there, and shows what is', async () => {
    world = await createResearchWorld();
    const url = 'https://museum.aldana.example/canal';
    const verdict = await verify({ url, quote: 'The headgate of the Aldana canal was built in 1912' });
    expect(verdict).toMatchObject({ verified: false, match: 'none' });
    expect(verdict.closest).toContain('built in 1911');
  });

  test('looks through the sources of a research', async () => {
    world = await createResearchWorld();
    const { session } = await world.research({ max_iterations: 1 });
    const verdict = await verify({
      research_id: session.research_id,
      quote: 'lets 12 cubic metres per second',
    });
    expect(verdict).toMatchObject({ verified: true, source_id: expect.stringMatching(/^src-/) });
  });

  test.each([{ quote: QUESTION }, { quote: QUESTION, url: 'https://x.example', research_id: 'y' }])(
    'must be told exactly one place to look in',
    async (input) => {
      world = await createResearchWorld();
      await expect(verify(input)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );
});
