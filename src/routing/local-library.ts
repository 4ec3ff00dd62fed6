import type { Ctx } from './services.ts';
import type { OwnText } from '../core/text.ts';
import { asked, named, warned } from '../core/own-text.ts';
import type { SearchQuery } from '../core/query.ts';
import { withoutDenied } from './denied-results.ts';
import type { SearchPage } from '../providers/provider.ts';

/** Searches the caller's library and the shared one. Nothing leaves the machine. */
export async function askLibrary(
  query: SearchQuery,
  { call, services }: Ctx,
): Promise<SearchPage & { warnings: OwnText[] }> {
  const { hits, guesses, warnings } = await services.library.of(call.caller.workspace).search(
    {
      text: query.text,
      resultsMax: query.resultsMax,
      chunksPerSource: query.chunksPerSource,
      includeContent: query.includeRawContent !== undefined,
      // Preferred domains are the caller's to sort; only a restriction is a filter.
      includeDomains: query.includeDomainsMode === 'prefer' ? undefined : query.includeDomains,
      excludeDomains: query.excludeDomains,
      startDate: query.startDate,
      endDate: query.endDate,
    },
    call.signal,
  );
  const admitted = withoutDenied(hits, call);
  const guessed = guesses.map(
    ({ term }) => warned`"${asked(term)}" is not in the library; names like it were searched for instead.`,
  );
  return {
    outcome: admitted.sources.length === 0 ? 'empty' : 'ok',
    sources: admitted.sources,
    warnings: [
      ...admitted.warnings,
      ...warnings.map((warning) => warned`The library: ${named(warning)}`),
      ...guessed,
    ],
  };
}
