import { HeadgateError } from '../core/errors.ts';
import type { SearchQuery } from '../core/query.ts';
import type { SearchPage } from '../providers/provider.ts';
import { createCover } from '../rank/cover.ts';
import { askLibrary } from './local-library.ts';
import type { Ctx } from './services.ts';

/**
 * The last step of a replay: a search that was not recorded is answered from everything that was, as if `provider` had found it.
 * Where nothing matches the query, the failure stands.
 */
export async function searchFrozen(
  thrown: unknown,
  provider: string,
  query: SearchQuery,
  { call, services }: Ctx,
): Promise<SearchPage> {
  const { frozen } = services;
  if (!(thrown instanceof HeadgateError) || thrown.code !== 'not_recorded') throw thrown;
  if (frozen === undefined || frozen.isExact) throw thrown;
  const library = await frozen.library(call.signal);
  const { sources: found } = await askLibrary(query, {
    call: { ...call, caller: {} },
    services: { ...services, library },
  });
  const cover = createCover(query.text);
  const sources = found.filter(({ title, snippet }) => cover.matchOf(cover.of(title, snippet)) !== 'none');
  if (sources.length === 0) throw thrown;
  frozen.answered(thrown);
  return { outcome: 'ok', sources: sources.map((source) => ({ ...source, provider })), replayed: 'frozen' };
}
