import type { Ctx } from '../../routing/services.ts';
import { warned } from '../../core/own-text.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { plural } from '../../core/text.ts';
import type { DerivedParameter } from '../../providers/provider.ts';
import { joinChunks } from '../../rank/join.ts';
import { rankChunks } from '../../rank/rank.ts';
import { readPage, type ReadPage } from '../extract/read.ts';
import type { Services } from '../services.ts';
import { withDeadline } from '../../routing/with-deadline.ts';
import type { Found } from '../answer/found.ts';

/**
 * Advanced depth for providers that return only snippets: reads the result pages through the guard, uses
 * their best passages as content, and ranks the results by them.
 */
export async function readResultPages(
  found: Found,
  query: SearchQuery,
  { call, services }: Ctx<Services>,
): Promise<Found> {
  const shallow = found.sources
    .filter((source) => needsReading(source, query, services))
    .slice(0, LIMITS.deepenPagesMax);
  if (shallow.length === 0) return found;
  const timeoutMs = Math.round((call.deadline - services.clock.now()) * DEADLINE_SHARE);
  const read = await withDeadline(call, timeoutMs, services, (inner) =>
    Promise.all(shallow.map((source) => tryRead(source, { call: inner, services }))),
  );
  call.signal.throwIfAborted();
  const pages = new Map(read.flatMap((one) => ('page' in one ? [[one.source.url, one.page] as const] : [])));
  const failed = read.length - pages.size;
  return {
    ...found,
    sources: rankPages(found.sources, pages, query),
    warnings:
      failed === 0
        ? found.warnings
        : [...found.warnings, warned`${plural(failed, 'page')} could not be read, so the snippet is used.`],
  };
}

/** The share of the remaining time for reading; the rest is for later steps. */
const DEADLINE_SHARE = 0.8;

function needsReading(source: Source, query: SearchQuery, services: Services): boolean {
  const provider = services.providers.find((ready) => ready.provider.id === source.provider)?.provider;
  const lacks = (parameter: DerivedParameter): boolean =>
    provider?.search?.supports?.includes(parameter) !== true;
  const wantsDepth = query.depth === 'advanced' && lacks('depth');
  const wantsContent =
    query.includeRawContent !== undefined && source.content === undefined && lacks('includeRawContent');
  return wantsDepth || wantsContent;
}

async function tryRead(
  source: Source,
  ctx: Ctx<Services>,
): Promise<{ source: Source; page: ReadPage } | { source: Source }> {
  try {
    const page = await readPage(source.url, ctx);
    return page.quality === 'ok' ? { source, page } : { source };
  } catch (thrown) {
    if (HeadgateError.from(thrown).type === 'internal') throw thrown;
    return { source };
  }
}

function rankPages(sources: Source[], pages: Map<string, ReadPage>, query: SearchQuery): Source[] {
  const format = query.includeRawContent ?? 'markdown';
  const contentOf = (page: ReadPage): string =>
    (format === 'text' ? page.text : page.markdown).slice(0, LIMITS.deepenCharsMax);
  const documents = sources.map((source) => {
    const page = pages.get(source.url);
    return {
      id: source.url,
      title: source.title,
      content: page === undefined ? source.snippet : contentOf(page),
    };
  });
  const { chunksPerSource, tokensMax } = query;
  const count =
    chunksPerSource === undefined && tokensMax !== undefined ? { tokensMax } : { chunksPerSource };
  const ranked = new Map(rankChunks(query.text, documents, { ...count, format }).map((one) => [one.id, one]));
  return sources
    .map(({ scoreBy, ...source }): Source => {
      const page = pages.get(source.url);
      const rank = ranked.get(source.url);
      if (page === undefined || rank === undefined)
        return rank === undefined
          ? { ...source, ...(scoreBy === undefined ? {} : { scoreBy }) }
          : { ...source, score: rank.score, ...(tokensMax === undefined ? {} : { chunks: rank.chunks }) };
      return {
        ...source,
        score: rank.score,
        ...(rank.chunks.length === 0 ? {} : { snippet: joinChunks(rank.chunks), chunks: rank.chunks }),
        ...(query.includeRawContent === undefined ? {} : { content: contentOf(page) }),
        ...(source.publishedDate === undefined && page.publishedDate !== undefined
          ? { publishedDate: page.publishedDate }
          : {}),
        ...(source.favicon === undefined && page.favicon !== undefined ? { favicon: page.favicon } : {}),
      };
    })
    .sort((a, b) => b.score - a.score);
}
