import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { attemptBegun, outcomeOf, type Attempt } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import type { OwnText } from '../../core/text.ts';
import { libraryProvider } from '../../providers/builtin.ts';
import { askLibrary } from '../../routing/local-library.ts';
import type { Ctx } from '../../routing/services.ts';
import { withDeadline } from '../../routing/with-deadline.ts';
import type { Services } from '../services.ts';

/** What the local library knows about a query that the web is asked. */
interface Beside {
  hits: Source[];
  /** The documents to list. Beside results of the web only those that cover the query: most libraries are about other things. */
  beside(hasResults: boolean): Source[];
  attempts: Attempt[];
  warnings: OwnText[];
}

const DOCUMENTS_MAX = 3;

/** Asks the library while the web is asked. It never fails the search; undefined when there is no library. */
export async function besideTheWeb(query: SearchQuery, ctx: Ctx<Services>): Promise<Beside | undefined> {
  const { call, services } = ctx;
  if (!services.library.exists()) return undefined;
  const started = services.clock.now();
  const { includeRawContent: _, ...plain } = query;
  const wanted = { ...plain, resultsMax: Math.min(DOCUMENTS_MAX, query.resultsMax) };
  const attempt = (outcome: Attempt['outcome'], reason?: OwnText): Attempt => {
    const ms = services.clock.now() - started;
    const entry = { provider: libraryProvider.id, ms, outcome, ...(reason === undefined ? {} : { reason }) };
    return attemptBegun(entry, started);
  };
  try {
    const page = await withDeadline(call, LIMITS.topicSourceMs, services, (inner) =>
      askLibrary(wanted, { call: inner, services }),
    );
    const { createCover } = await import('../../rank/cover.ts');
    const cover = createCover(query.text);
    const judged = page.sources.map((source) => ({
      source,
      match: cover.matchOf(cover.of(`${source.title} ${source.snippet}`)),
    }));
    const hits = judged.filter(({ match }) => match !== 'none').map(({ source }) => source);
    const covering = judged.filter(({ match }) => match === 'answered').map(({ source }) => source);
    return {
      hits,
      beside: (hasResults) => (hasResults ? covering : hits),
      attempts: [attempt(hits.length === 0 ? 'empty' : 'ok')],
      warnings: hits.length === 0 ? [] : page.warnings,
    };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    return {
      hits: [],
      beside: () => [],
      attempts: [attempt(outcomeOf(error), error.message)],
      warnings: [],
    };
  }
}
