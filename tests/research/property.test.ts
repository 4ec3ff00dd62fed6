import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResearchReport } from '../../src/contract/research.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { verifyQuote } from '../../src/research/verify-quote.ts';
import { search } from '../../src/operations/search/search.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sized } from '../support/sized.ts';
import { checkCitations } from '../support/research/check-report.ts';
import { createWeb, factsIn, keyOf, type Web } from '../support/research/webs.ts';
import { createResearchWorld, modelFor, type ResearchWorld } from '../support/research/world.ts';

const WEBS = sized('generated webs', { small: 5, large: 150, full: 1_000 });

let world: ResearchWorld;
let plain: Engine;
let worded: Engine;
let web: Web;

beforeAll(async () => {
  const pages: Web['pages'] = [];
  web = createWeb(0);
  world = await createResearchWorld({ pages, model: (prompt) => liar(prompt) });
  plain = world.open({ 'cache.enabled': false });
  worded = world.open({ ...modelFor(world.sim), 'cache.enabled': false });
  show = (next) => {
    web = next;
    pages.splice(0, pages.length, ...next.pages);
  };
});
afterAll(() => world.close());
let show: (web: Web) => void;

/** A model that changes years, figures, names and denials as often as not, and cites sources that say otherwise. */
function liar(prompt: string): string | undefined {
  const random = seededRandom(prompt.length);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const task = /^TASK: (\w+)/m.exec(prompt)?.[1];
  const sentences = [...web.facts.keys()];
  const shown = sentences.filter((sentence) => prompt.includes(sentence));
  if (shown.length === 0) return undefined;
  if (task === 'analysis') {
    const ids = [...new Set(prompt.match(/src-[0-9a-f]{8}/g))];
    const findings = Array.from({ length: 8 }, () => ({
      content: pick([pick(shown), pick(sentences)]),
      quote: pick(shown),
      source_ids: ids,
      confidence: 'high',
      category: 'Facts',
    }));
    return JSON.stringify({ findings, gaps: [], quality_updates: [] });
  }
  if (task === 'synthesis') {
    const ids = [...new Set(prompt.match(/find-[0-9a-f]{8}/g))];
    const statements = Array.from({ length: 6 }, () => ({ text: pick(sentences), finding_ids: ids }));
    return JSON.stringify({ summary: statements, conclusions: statements });
  }
  if (task === 'answer') {
    const results = web.pages.map((_, index) => index + 1);
    return JSON.stringify({
      sentences: Array.from({ length: 6 }, () => ({ text: pick(sentences), results })),
    });
  }
  return undefined;
}

/** Every cited source has a quote of its own, which `verify_quote` finds there and which says what the statement says. */
async function checkStatements(report: ResearchReport, engine: Engine): Promise<void> {
  const call = world.call();
  checkCitations(report, await engine.services.research.sources(report.research_id, call));
  const findings = new Map(report.findings.map((finding) => [finding.id, finding]));
  const said = [
    ...report.executive_summary,
    ...report.key_findings.flatMap(({ statements }) => statements),
    ...report.supporting_evidence,
    ...report.conclusions,
  ];
  for (const statement of [...said, ...report.conflicting_information]) {
    for (const { citation, quote } of statement.quotes) {
      const source = report.sources.find(({ number }) => number === citation);
      const verdict = await perform(
        verifyQuote,
        { quote, research_id: report.research_id, source_id: source?.id },
        { call, services: engine.services },
      );
      expect({ quote, citation, verified: verdict.verified }).toEqual({ quote, citation, verified: true });
    }
    expect(new Set(statement.quotes.map(({ citation }) => citation))).toEqual(new Set(statement.citations));
  }
  for (const statement of said) {
    const claims = new Set(factsIn(statement.text, web).map(keyOf));
    for (const id of statement.finding_ids) {
      const quoted = factsIn(findings.get(id)?.quote ?? '', web).map(keyOf);
      const isCarried = quoted.some((key) => claims.has(key)) || claims.size === 0;
      expect({ text: statement.text, quoted, isCarried }).toEqual({
        text: statement.text,
        quoted,
        isCarried: true,
      });
    }
  }
  for (const { text } of report.supporting_evidence)
    expect({ text, facts: [...new Set(factsIn(text, web).map(keyOf))].slice(1) }).toEqual({
      text,
      facts: [],
    });
  for (const { text } of report.conflicting_information) {
    const facts = factsIn(text, web);
    expect({
      text,
      topics: new Set(facts.map(({ subject, kind }) => `${subject} ${kind}`)).size,
    }).toMatchObject({ topics: 1 });
    expect(new Set(facts.map(keyOf)).size).toBeGreaterThan(1);
  }
}

const input = {
  max_iterations: 1,
  max_sub_queries: 1,
  max_sources_per_query: 8,
  include_raw_content: 'markdown',
  follow_links: false,
};

describe(`over ${WEBS} generated webs`, () => {
  test(
    'every citation of a report has a quote of its own that says the same',
    async () => {
      let [supported, disputed] = [0, 0];
      for (let seed = 1; seed <= WEBS; seed += 1) {
        show(createWeb(seed));
        const engine = seed % 3 === 0 ? worded : plain;
        const { report } = await perform(
          research,
          { query: web.question, ...input },
          { call: world.call(), services: engine.services },
        );
        if (report === null) throw new Error('There is no report.');
        await checkStatements(report, engine);
        supported += report.supporting_evidence.length;
        disputed += report.conflicting_information.length;
        await engine.services.research.delete(report.research_id, world.call());
      }
      // A property that never applies proves nothing.
      expect(supported).toBeGreaterThan(WEBS / 8);
      expect(disputed).toBeGreaterThan(WEBS / 4);
    },
    WEBS * 10_000,
  );

  test(
    'every citation of an answer has a passage that says the same',
    async () => {
      let cited = 0;
      for (let seed = 1; seed <= WEBS; seed += 1) {
        show(createWeb(seed));
        const request = { query: web.question, include_answer: 'advanced', max_results: 8 };
        const {
          answer,
          answer_by: by,
          results,
        } = await perform(search, request, { call: world.call(), services: worded.services });
        if (by !== 'model') continue;
        for (const [, text = '', marks = ''] of (answer ?? '').matchAll(/(.+?) ((?:\[\d+\])+)(?: |$)/g)) {
          const claims = factsIn(text, web).map(keyOf);
          for (const [, number] of marks.matchAll(/\[(\d+)\]/g)) {
            const shown = factsIn(results[Number(number) - 1]?.content ?? '', web).map(keyOf);
            expect({ text, shown, isCarried: claims.every((key) => shown.includes(key)) }).toEqual({
              text,
              shown,
              isCarried: true,
            });
            cited += 1;
          }
        }
      }
      expect(cited).toBeGreaterThan(WEBS / 4);
    },
    WEBS * 10_000,
  );
});
