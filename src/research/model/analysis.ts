import { z } from 'zod';
import { LIMITS } from '../../core/limits.ts';
import { joinChunks } from '../../rank/join.ts';
import { rankChunks } from '../../rank/rank.ts';
import { askModel, fence } from './ask.ts';
import { toGap } from '../gaps.ts';
import { priority } from './plan.ts';
import { modelWords } from './words.ts';
import { findQuote } from '../../evidence/quote.ts';
import { support } from '../../evidence/supports.ts';
import type { RunContext } from '../run.ts';
import { speaksToMachines } from '../../evidence/sentences.ts';
import { sourceIdOf, QUALITIES, type Finding, type Gap, type ResearchSource } from '../state.ts';

/** A model ranks 1 as most pressing; gaps rank upwards. */
const PRESSING_MAX = 11;

const confidence = z.enum(['low', 'medium', 'high']).catch('low');

const analysed = z.object({
  findings: z
    .array(
      z.object({
        content: z.string(),
        quote: z.string().default(''),
        confidence,
        source_ids: z.preprocess(
          (value) => (typeof value === 'string' ? [value] : value),
          z.array(z.string()).max(50),
        ),
        category: z.string().nullish(),
      }),
    )
    .max(200),
  gaps: z
    .array(
      z.object({
        description: z.string(),
        suggested_queries: z.array(z.string()).max(20).default([]),
        priority: priority(),
      }),
    )
    .max(100)
    .catch([]),
  quality_updates: z
    .array(z.object({ source_id: z.string(), quality: z.string() }))
    .max(200)
    .catch([]),
});

/** The model's findings, with verified quotes, and gaps; undefined without a usable answer. */
export async function analyseWithModel(
  run: RunContext,
  fresh: ResearchSource[],
): Promise<{ findings: Finding[]; gaps: Gap[] } | undefined> {
  const sources = fresh
    .toSorted((a, b) => QUALITIES.indexOf(a.quality) - QUALITIES.indexOf(b.quality) || b.score - a.score)
    .slice(0, LIMITS.modelSourcesMax);
  if (sources.length === 0) return { findings: [], gaps: [] };
  const answer = await askModel(run, 'analysis', promptFor(run, sources), analysed);
  if (answer === undefined) return undefined;
  for (const { source_id: id, quality } of answer.quality_updates) {
    const source = sources.find((one) => one.id === id);
    // A model may lower the quality of a page, never raise it: a page could ask for that.
    if (source !== undefined && quality === 'low') source.quality = 'low';
  }
  const findings = answer.findings.flatMap((claim) => verify(run, claim, sources));
  const gaps = answer.gaps
    .map((gap) =>
      toGap(modelWords(gap.description, run.state), gap.suggested_queries, PRESSING_MAX - gap.priority),
    )
    .filter(({ description }) => description !== '');
  return {
    findings: findings.slice(0, LIMITS.researchFindingsMax),
    gaps: gaps.slice(0, LIMITS.researchGapsMax),
  };
}

type Claim = z.output<typeof analysed>['findings'][number];

/** A claim becomes a finding only if its quote is in a source that it names and supports it. */
function verify(run: RunContext, claim: Claim, sources: ResearchSource[]): Finding[] {
  const { state } = run;
  const named = sources.filter(({ id }) => claim.source_ids.includes(id));
  state.removed.citations += new Set(claim.source_ids).size - named.length;
  for (const source of named) {
    const place = findQuote(claim.quote, source.text);
    if (place === undefined) continue;
    const quote = source.text.slice(place.start, place.end);
    const statement = modelWords(claim.content, state);
    const known = `${run.input.query}\n${source.title}`;
    if (statement === '' || speaksToMachines(quote) || support(statement, quote, known) !== 'exact') continue;
    return [
      {
        id: sourceIdOf('find', source.id, source.hash, `${place.start}-${place.end}`),
        statement,
        quote,
        sourceId: source.id,
        url: source.url,
        hash: source.hash,
        start: place.start,
        end: place.end,
        theme: modelWords(claim.category ?? '', state).slice(0, 60) || 'Findings',
        confidence: source.quality === 'low' ? 'low' : claim.confidence,
        score: { high: 1, medium: 0.7, low: 0.4 }[claim.confidence],
      },
    ];
  }
  state.removed.claims += 1;
  return [];
}

function promptFor(run: RunContext, sources: ResearchSource[]): string {
  const pages = sources.map(
    (source) => `[${source.id}] ${source.title}\n${excerptOf(source, run.input.query)}`,
  );
  return [
    'TASK: analysis',
    `QUESTION: ${run.input.query.replace(/\s+/g, ' ')}`,
    'Say what these sources state about the question. Every finding needs a quote: one or two sentences copied letter by letter from the source, and the id of that source. Name what is still open as gaps.',
    fence(run, pages.join('\n\n')),
    'Answer: {"findings": [{"content": string, "quote": string, "confidence": "low"|"medium"|"high", "source_ids": [string], "category": string}], "gaps": [{"description": string, "suggested_queries": [string], "priority": 1-10 (1 is most pressing)}], "quality_updates": [{"source_id": string, "quality": "low"|"medium"|"high"}]}',
  ].join('\n\n');
}

/** The passages of a page that are relevant to the question. */
function excerptOf(source: ResearchSource, query: string): string {
  if (source.text.length <= LIMITS.modelSourceCharsMax) return source.text;
  const [ranked] = rankChunks(query, [{ id: source.id, title: source.title, content: source.text }], {
    chunksPerSource: LIMITS.chunksPerSourceMax,
  });
  return joinChunks(ranked?.chunks ?? []).slice(0, LIMITS.modelSourceCharsMax * 2);
}
