import { warned } from '../../core/own-text.ts';
import type { SearchQuery } from '../../core/query.ts';
import { plural } from '../../core/text.ts';
import { fitContents } from '../../rank/fit-contents.ts';
import type { Found } from '../answer/found.ts';

/** Fits the content of all results into one token budget. */
export async function fitResults(found: Found, query: SearchQuery, tokensMax: number): Promise<Found> {
  const documents = found.sources.map(({ url, title, snippet, chunks }) => ({
    id: url,
    title,
    content: snippet,
    chunks,
  }));
  const contents = await fitContents(query.text, documents, tokensMax);
  const sources = found.sources.map((source, at) => ({ ...source, snippet: contents[at] ?? '' }));
  const cut = sources.filter(({ snippet }, at) => snippet === '' && found.sources[at]?.snippet !== '').length;
  const notice = warned`${plural(cut, 'result')} without content: max_tokens went to better passages.`;
  return { ...found, sources, warnings: cut === 0 ? found.warnings : [...found.warnings, notice] };
}
