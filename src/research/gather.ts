import { own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import type { SearchHit, SearchOutput } from '../contract/search.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Attempt } from '../core/outcome.ts';
import { named } from '../core/own-text.ts';
import { cleanText, joinSentences, oneLine } from '../core/text.ts';
import { canonicalUrl, hostOf } from '../core/url.ts';
import { search } from '../operations/search/search.ts';
import { inParallel } from './in-parallel.ts';
import { qualityOf } from './quality.ts';
import { isOver, noteFailure, performStep, warn, type RunContext } from './run.ts';
import { sourceIdOf, sha256, type ResearchSource, type SubQuery } from './state.ts';

/** The journalled result of a search. */
interface Searched {
  hits: Pick<
    SearchHit,
    'url' | 'title' | 'content' | 'raw_content' | 'score' | 'published_date' | 'favicon' | 'provider'
  >[];
  outcome: SearchOutput['outcome'];
  credits: number;
  warnings: OwnText[];
  /** Why there are no hits, if the provider did not report an empty result. */
  unreadable?: OwnText;
  /** The providers that failed before one answered. Absent in older journals. */
  failedBefore?: Pick<Attempt, 'provider' | 'outcome'>[];
}

/** Runs all sub-queries, a few at a time, and returns the new sources. */
export async function gather(run: RunContext, subQueries: SubQuery[]): Promise<ResearchSource[]> {
  const answers = await inParallel(subQueries, run.input.max_concurrent, (subQuery) => ask(run, subQuery));
  run.cancelled.throwIfAborted();
  run.state.subQueries.push(...subQueries);
  const known = new Set(run.state.sources.flatMap(keysOf));
  const fresh = answers.flatMap((searched, at) =>
    add(run, subQueries[at] as SubQuery, searched?.hits ?? [], known),
  );
  // A single search is not enough to judge a provider; the first is judged with its iteration.
  if (answers.length > 1 || run.state.iteration > 1) judgeProvider(run, answers);
  return fresh;
}

async function ask(run: RunContext, subQuery: SubQuery): Promise<Searched | undefined> {
  const { input, parameters, budget } = run;
  const request = {
    query: subQuery.query,
    max_results: input.max_sources_per_query,
    ...parameters,
    include_domains: input.include_domains,
    ...(input.include_domains === undefined ? {} : { include_domains_mode: 'prefer' }),
    exclude_domains: input.exclude_domains,
    provider: input.provider,
  };
  const isDeep = parameters.search_depth === 'advanced' || parameters.auto_parameters === true;
  const taken = budget.take(isDeep ? 2 : 1);
  let used = 0;
  try {
    const searched = await run.journal.step('search', [request], async () => {
      if (isOver(run)) throw new HeadgateError('deadline_exceeded', 'The time of this research is over.');
      return store(await performStep(run, search, { ...request, library: 'never' }, taken.allowed));
    });
    used = searched.credits;
    for (const warning of searched.warnings) warn(run, warning);
    noteFallbacks(run, searched);
    if (searched.unreadable !== undefined)
      noteFailure(
        run,
        'search',
        subQuery.query,
        new HeadgateError('upstream_bad_answer', named(searched.unreadable)),
      );
    run.emit({
      type: 'search',
      query: subQuery.query,
      outcome: searched.outcome,
      sources: searched.hits.map(({ title, url, favicon }) => ({
        title,
        url,
        ...(favicon === undefined ? {} : { favicon }),
      })),
    });
    return searched;
  } catch (thrown) {
    const failed = noteFailure(run, 'search', subQuery.query, thrown);
    run.emit({ type: 'search', query: subQuery.query, outcome: failed.code, sources: [] });
    return undefined;
  } finally {
    taken.settle(used);
  }
}

const store = (output: SearchOutput): Searched => ({
  hits: output.results.map((hit) => ({
    url: hit.url,
    title: hit.title,
    content: hit.content.slice(0, LIMITS.snippetCharsMax),
    // One character more than is used, so that truncation is detected.
    raw_content: hit.raw_content?.slice(0, LIMITS.researchSourceCharsMax + 1) ?? null,
    score: hit.score,
    ...(hit.published_date === undefined ? {} : { published_date: hit.published_date }),
    ...(hit.favicon === undefined ? {} : { favicon: hit.favicon }),
    provider: hit.provider,
  })),
  outcome: output.outcome,
  credits: output.credits,
  warnings: output.warnings,
  failedBefore: failedBefore(output),
  ...unreadable(output),
});

function unreadable({ outcome, results, attempts }: SearchOutput): Pick<Searched, 'unreadable'> {
  if (outcome !== 'degraded' || results.length > 0) return {};
  const reason = attempts.findLast((attempt) => attempt.outcome === 'degraded')?.reason;
  return { unreadable: joinSentences('The results could not be read.', reason) };
}

/** The providers that failed although the search was answered, each once. */
function failedBefore({ attempts, results }: SearchOutput): NonNullable<Searched['failedBefore']> {
  const answered = new Set([
    ...results.map(({ provider }) => provider),
    ...attempts.filter(({ outcome }) => outcome === 'ok').map(({ provider }) => provider),
  ]);
  const failed = attempts.filter(({ provider, outcome }) => !answered.has(provider) && outcome !== 'empty');
  return [...new Map(failed.map(({ provider, outcome }) => [provider, { provider, outcome }])).values()];
}

function noteFallbacks({ state }: RunContext, { failedBefore: failed = [], hits }: Searched): void {
  const answeredBy = hits[0]?.provider;
  if (answeredBy === undefined) return;
  for (const { provider, outcome } of failed) {
    const known = state.fallbacks.find(
      (one) => one.provider === provider && one.outcome === outcome && one.answeredBy === answeredBy,
    );
    if (known === undefined) state.fallbacks.push({ provider, outcome, answeredBy, searches: 1 });
    else known.searches += 1;
  }
}

/** Adds the hits of a sub-query; pages known by address or title are skipped. */
function add(
  run: RunContext,
  subQuery: SubQuery,
  hits: Searched['hits'],
  known: Set<string>,
): ResearchSource[] {
  const { state, mode } = run;
  const fresh: ResearchSource[] = [];
  for (const hit of hits) {
    if (state.sources.length >= LIMITS.researchSourcesMax) {
      warn(run, own`At most ${LIMITS.researchSourcesMax} sources are kept; later ones were left out.`);
      break;
    }
    const keys = keysOf(hit);
    if (keys.some((key) => known.has(key))) continue;
    for (const key of keys) known.add(key);
    const source = toSource(hit, subQuery, mode);
    state.sources.push(source);
    fresh.push(source);
  }
  return fresh;
}

function toSource(
  hit: Searched['hits'][number],
  subQuery: SubQuery,
  mode: RunContext['mode'],
): ResearchSource {
  const content = (hit.raw_content ?? '').trim();
  return {
    id: sourceIdOf('src', canonicalUrl(hit.url)),
    url: hit.url,
    title: oneLine(hit.title).slice(0, LIMITS.titleCharsMax) || hostOf(hit.url),
    ...textOfSource(content === '' ? hit.content : content),
    textKind: content === '' ? 'snippet' : 'content',
    quality: qualityOf(hit.url, mode),
    score: hit.score,
    provider: hit.provider,
    subQueryId: subQuery.id,
    iteration: subQuery.iteration,
    ...(hit.published_date === undefined ? {} : { publishedDate: hit.published_date }),
    ...(hit.favicon === undefined ? {} : { favicon: hit.favicon }),
  };
}

/** The bounded text of a source and its hash. */
export function textOfSource(raw: string): Pick<ResearchSource, 'text' | 'hash' | 'isTruncated'> {
  const text = ownCopy(cleanText(raw).slice(0, LIMITS.researchSourceCharsMax));
  return { text, hash: sha256(text), isTruncated: raw.length > LIMITS.researchSourceCharsMax };
}

/** A substring keeps its whole string in memory; copy it so that the page can be freed. */
const ownCopy = (text: string): string => Buffer.from(text).toString();

/** Titles shorter than this are too common to mean the same page. */
const TITLE_CHARS_MIN = 20;

function keysOf({ url, title }: { url: string; title: string }): string[] {
  const plain = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return [canonicalUrl(url), ...(plain.length > TITLE_CHARS_MIN ? [`title:${plain}`] : [])];
}

/** If half of an iteration's searches fail or are degraded, another iteration would waste time and money. */
function judgeProvider(run: RunContext, answers: (Searched | undefined)[]): void {
  const bad = answers.filter(
    (searched) => searched === undefined || searched.outcome === 'degraded' || searched.outcome === 'blocked',
  );
  if (run.state.stop === undefined && bad.length > 0 && bad.length * 2 >= answers.length)
    run.state.stop = 'provider';
}
