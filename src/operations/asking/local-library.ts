import { z } from 'zod';
import { LIBRARY } from '../../config/names.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import { asked, named, own, warned } from '../../core/own-text.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Provider, SearchPage } from '../../providers/provider.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { Services } from '../services.ts';

/** The local library as a provider: `provider: "local"`, alone, in a chain or in a merge. */
export const localProvider: Provider = {
  id: LIBRARY,
  title: own`Library`,
  homepage: 'https://github.com/headgate/headgate',
  settings: z.object({}),
  keys: 'none',
  paceMs: 0,
  creditPrice: 0,
  fail: () => new HeadgateError('internal', 'The library has no API to fail.'),
};

export const readyLocal: ReadyProvider = { provider: localProvider, settings: {}, keys: [], paceMs: 0 };

/** Searches the caller's library and the shared one. Nothing leaves the machine. */
export async function askLibrary(
  query: SearchQuery,
  call: Call,
  services: Services,
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
  const guessed = guesses.map(
    ({ term }) => warned`"${asked(term)}" is not in the library; names like it were searched for instead.`,
  );
  return {
    outcome: hits.length === 0 ? 'empty' : 'ok',
    sources: hits,
    warnings: [...warnings.map((warning) => warned`The library: ${named(warning)}`), ...guessed],
  };
}
