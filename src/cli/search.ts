import type { SearchHit, SearchOutput } from '../contract/search.ts';
import { joined, listed, named, own, safe } from '../core/own-text.ts';
import { oneLine, plural, type SafeText } from '../core/text.ts';
import { inlineText, inlineUrl, lineText } from '../toolsets/markdown.ts';
import { licencesOf, titleOf } from '../routing/chain.ts';
import { search } from '../operations/search/search.ts';
import { unusable } from '../toolsets/catalogue.ts';
import { concerns } from '../toolsets/concerns.ts';
import { operationCommand } from './operation-command.ts';
import { createStyle } from './terminal.ts';

export const command = operationCommand({
  operation: search,
  positional: 'query',
  render: renderSearch,
  // Both kinds of output show the library's documents, also when the web has nothing.
  defaults: ({ provider }) => (provider === undefined ? { library: 'also' } : {}),
});

function renderSearch(output: SearchOutput, isTerminal: boolean): SafeText {
  const style = createStyle(isTerminal);
  const block = (result: SearchHit, index: number): SafeText => {
    const day = result.published_date?.slice(0, 10);
    const content = lineText(oneLine(result.content));
    return joined(
      [
        safe`${style('dim', own`${index + 1}.`)} ${style('bold', lineText(oneLine(result.title)))}`,
        safe`   ${style('cyan', inlineUrl(result.url))}${day === undefined ? '' : style('dim', safe`  ${lineText(day)}`)}`,
        ...(content === '' ? [] : [safe`   ${content}`]),
      ],
      '\n',
    );
  };
  const { library = [] } = output;
  const answer = output.answer === null ? [] : [style('green', inlineText(oneLine(output.answer)))];
  const asked = output.cached
    ? own`from memory`
    : listed(new Set(output.attempts.map((attempt) => named(titleOf(attempt.provider)))));
  const licences = licencesOf(output.results.flatMap((hit) => hit.found_by ?? [hit.provider]));
  const unreadable = unusable(output)?.en;
  const seconds = named(output.response_time.toFixed(2));
  return joined(
    [
      ...answer,
      ...output.results.map(block),
      ...(output.results.length === 0 && unreadable !== undefined ? [unreadable] : []),
      ...(library.length === 0 ? [] : [style('bold', own`From the local library:`), ...library.map(block)]),
      ...concerns(output).map((concern) => style('yellow', own`! ${oneLine(concern)}`)),
      ...(licences.length === 0 ? [] : [style('dim', own`Licences: ${listed(licences, ' · ')}`)]),
      style('dim', own`${plural(output.results.length, 'result')} · ${asked} · ${seconds} s`),
    ],
    '\n\n',
  );
}
