import type { SearchOutput } from '../../contract/search.ts';
import { oneLine, plural } from '../../core/text.ts';
import { titleOf } from '../../operations/asking/chain.ts';
import { search } from '../../operations/search/search.ts';
import { unusable } from '../../tools/catalogue.ts';
import { concerns } from '../../tools/concerns.ts';
import { operationCommand } from './operation-command.ts';
import { createStyle } from './style.ts';

export const command = operationCommand({
  operation: search,
  positional: 'query',
  render: renderSearch,
});

function renderSearch(output: SearchOutput, isTerminal: boolean): string {
  const style = createStyle(isTerminal);
  const blocks = output.results.map((result, index) =>
    [
      `${style('dim', `${index + 1}.`)} ${style('bold', oneLine(result.title))}`,
      `   ${style('cyan', oneLine(result.url))}${result.published_date === undefined ? '' : style('dim', `  ${result.published_date.slice(0, 10)}`)}`,
      ...(result.content === '' ? [] : [`   ${oneLine(result.content)}`]),
    ].join('\n'),
  );
  const answer = output.answer === null ? [] : [style('green', oneLine(output.answer))];
  const asked = output.cached
    ? 'from memory'
    : [...new Set(output.attempts.map((attempt) => titleOf(attempt.provider)))].join(', ');
  const unreadable = unusable(output)?.en;
  const footer = `${plural(output.results.length, 'result')} · ${asked} · ${output.response_time.toFixed(2)} s`;
  return [
    ...answer,
    ...blocks,
    ...(output.results.length === 0 && unreadable !== undefined ? [unreadable] : []),
    ...concerns(output).map((concern) => style('yellow', `! ${oneLine(concern)}`)),
    style('dim', footer),
  ].join('\n\n');
}
