import type { AnswerOutput } from '../contract/answer.ts';
import { joined, own, safe } from '../core/own-text.ts';
import type { OwnText, SafeText } from '../core/text.ts';
import { concerns } from './concerns.ts';
import { blockText, inlineText, inlineUrl } from './markdown.ts';

/** Renders an instant answer as Markdown. */
export function renderAnswer(output: AnswerOutput): SafeText {
  const passage = (title: OwnText, part: AnswerOutput['abstract']): SafeText[] => {
    if (part === undefined) return [];
    const origin = [
      ...(part.source === '' ? [] : [safe`**Source:** ${inlineText(part.source)}`]),
      ...(part.url === '' ? [] : [safe`**URL:** ${inlineUrl(part.url)}`]),
    ];
    const text = safe`### ${title}\n${blockText(part.text)}`;
    return origin.length === 0 ? [text] : [text, joined(origin, '\n')];
  };
  const list = (title: OwnText, lines: SafeText[]): SafeText[] =>
    lines.length === 0 ? [] : [safe`### ${title}\n${joined(lines, '\n')}`];
  const topic = (one: { title: string; text: string }): SafeText =>
    safe`- **${inlineText(one.title)}**${one.text === '' ? '' : safe` - ${inlineText(one.text)}`}`;

  const titled = ({ name, topics }: TopicGroup): SafeText[] =>
    name === undefined ? topics.map(topic) : [own``, safe`**${inlineText(name)}**`, ...topics.map(topic)];

  const isFromPages = output.answer_by !== undefined;
  const blocks = [
    ...(output.answer === undefined ? [] : [safe`### Answer\n${blockText(output.answer)}`]),
    ...passage(own`Abstract`, output.abstract),
    ...passage(own`Definition`, output.definition),
    ...list(
      own`Facts`,
      output.facts.map((fact) => safe`- **${inlineText(fact.label)}:** ${inlineText(fact.value)}`),
    ),
    ...list(
      own`Results`,
      output.results.map(
        (one, at) =>
          safe`${isFromPages ? own`${at + 1}.` : own`-`} **${inlineText(one.title)}** - ${inlineUrl(one.url)}`,
      ),
    ),
    ...list(own`Related Topics`, groupsOf(output.related).flatMap(titled)),
    ...(output.redirect === undefined ? [] : [safe`### Redirect\n**URL:** ${inlineUrl(output.redirect)}`]),
  ];
  return joined(
    [
      safe`## ${isFromPages ? own`Answer` : own`Instant Answer`} for "${inlineText(output.query)}"`,
      ...notesAbove(output),
      ...(blocks.length === 0 ? [own`No instant answer available for this query.`] : blocks),
      isFromPages ? own`_Source: the pages above_` : own`_Source: DuckDuckGo Instant Answer API_`,
    ],
    '\n\n',
  );
}

interface TopicGroup {
  name: string | undefined;
  topics: AnswerOutput['related'];
}

/** Topics grouped by their heading on a disambiguation page; those without one come first. */
function groupsOf(related: AnswerOutput['related']): TopicGroup[] {
  const groups: TopicGroup[] = [{ name: undefined, topics: [] }];
  for (const topic of related) {
    const group = groups.find(({ name }) => name === topic.group);
    if (group === undefined) groups.push({ name: topic.group, topics: [topic] });
    else group.topics.push(topic);
  }
  return groups;
}

/** Notes above the results: what was condensed, dropped or missed, and which providers failed. */
export function notesAbove(output: Parameters<typeof concerns>[0]): SafeText[] {
  const lines = concerns(output).map((concern) => safe`> Note: ${inlineText(concern)}`);
  return lines.length === 0 ? [] : [joined(lines, '\n')];
}
