import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import { containerOf, headingOf, isInside, linkShareOf, type Survey, within } from './survey.ts';

const LEVELS = [0, 1, 2, 3, 4, 6, 8];

/** Where the block stands: on the page, in its containers, among its neighbours and among repeated structures. */
export function writePlace(row: Row, survey: Survey, index: number): void {
  const block = survey.tree.blocks[index] as Block;
  const container = containerOf(block);
  writePosition(row, survey, index);
  writeLevels(row, survey, container);
  writeNeighbours(row, survey, index);
  writeRepeats(row, survey, block, index);
  writeCandidate(row, survey, survey.candidate, index);
  writeCandidate(row, survey, survey.marked, index);
  writeHeading(row, survey, index);
}

function writePosition(row: Row, survey: Survey, index: number): void {
  const count = survey.tree.blocks.length;
  const total = Math.max(1, survey.words[count] as number);
  put(row, index);
  put(row, count - index);
  put(row, index / count);
  put(row, (survey.words[index] as number) / total);
  put(row, (survey.linkWords[index] as number) / Math.max(1, survey.words[index] as number));
  put(row, (survey.paragraphs[index] as number) / Math.max(1, survey.paragraphs[count] as number));
  put(row, (survey.paragraphs[count] as number) - (survey.paragraphs[index] as number));
}

/** Share of the page, links and paragraphs of the containers going up. */
function writeLevels(row: Row, survey: Survey, container: ElementNode): void {
  const count = survey.tree.blocks.length;
  const total = Math.max(1, survey.words[count] as number);
  const paragraphs = Math.max(1, survey.paragraphs[count] as number);
  let element = container;
  let level = 0;
  for (const wanted of LEVELS) {
    while (level < wanted && element.parent !== undefined) {
      element = element.parent;
      level += 1;
    }
    const words = within(survey.words, element);
    put(row, words / total);
    put(row, words === 0 ? 0 : within(survey.linkWords, element) / words);
    put(row, within(survey.paragraphs, element) / paragraphs);
    put(row, words / Math.max(1, element.end - element.first));
  }
}

const NEAR = [-3, -2, -1, 1, 2, 3];

function writeNeighbours(row: Row, survey: Survey, index: number): void {
  const container = containerOf(survey.tree.blocks[index] as Block);
  for (const offset of NEAR) {
    const measure = survey.measures[index + offset];
    const block = survey.tree.blocks[index + offset];
    if (measure === undefined || block === undefined) {
      for (let field = 0; field < 4; field++) put(row, -1);
      continue;
    }
    put(row, measure.words);
    put(row, measure.linkShare);
    put(row, Number(measure.endsSentence) + 2 * Number(HEADING_TAGS.has(block.element.tag)));
    put(row, distance(container, block.element));
  }
}

/** How many levels up the two meet, bounded. */
function distance(from: ElementNode, to: ElementNode): number {
  let element = from;
  for (let level = 0; level < 8; level++) {
    if (isInside(to, element)) return level;
    if (element.parent === undefined) return level;
    element = element.parent;
  }
  return 8;
}

/** Cards and rows: the ancestor that has the most siblings of its kind, and what such a sibling holds. */
function writeRepeats(row: Row, survey: Survey, block: Block, index: number): void {
  let best: ElementNode | undefined;
  let bestLevel = 0;
  let most = 1;
  let element: ElementNode | undefined = block.element;
  for (let level = 0; level < 8 && element !== undefined && element.order >= 0; level++) {
    const count = survey.siblings[element.order] as number;
    if (count > most) {
      most = count;
      best = element;
      bestLevel = level;
    }
    element = element.parent;
  }
  put(row, survey.pathCounts[index] as number);
  put(
    row,
    block.element.order < 0 ? 0 : (survey.kindCounts[survey.kinds[block.element.order] as number] ?? 0),
  );
  put(row, most);
  put(row, bestLevel);
  put(row, best === undefined ? 0 : within(survey.words, best));
  put(row, best === undefined ? 0 : linkShareOf(survey, best));
  put(row, best === undefined ? 0 : best.end - best.first);
  const group = best?.parent;
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  put(row, group === undefined ? 0 : within(survey.words, group) / total);
  put(row, group === undefined ? 0 : linkShareOf(survey, group));
  put(row, group === undefined ? 0 : group.first / survey.tree.blocks.length);
}

function writeCandidate(row: Row, survey: Survey, candidate: ElementNode, index: number): void {
  const isIn = index >= candidate.first && index < candidate.end;
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  put(row, isIn ? 0 : index < candidate.first ? index - candidate.first : index - candidate.end + 1);
  put(row, isIn ? (survey.tree.blocks[index] as Block).element.depth - candidate.depth : -1);
  put(row, within(survey.words, candidate) / total);
  put(row, isIn ? (index - candidate.first) / Math.max(1, candidate.end - candidate.first) : -1);
  const parent = candidate.parent;
  put(row, parent !== undefined && index >= parent.first && index < parent.end ? 1 : 0);
}

const HEADING_REACH = 60;

/** The heading above: how far, which level, and whether it opens something that is usually not content. */
function writeHeading(row: Row, survey: Survey, index: number): void {
  const { blocks } = survey.tree;
  const last = survey.headings[index] as number;
  const heading =
    last < 0 || index - last > HEADING_REACH ? undefined : headingOf((blocks[last] as Block).element);
  if (heading === undefined) {
    for (let field = 0; field < 5; field++) put(row, -1);
    return;
  }
  put(row, index - last);
  put(row, Number(heading.tag[1]));
  put(row, distance(containerOf(blocks[index] as Block), heading));
  put(row, (survey.measures[last] as Measure).words);
  put(row, headingTopic((blocks[last] as Block).text));
}

const TOPICS: [RegExp, number][] = [
  [/comment|kommentar|leave a reply|responses?\b|join the (conversation|discussion)|\breplies\b/i, 1],
  [
    /relat|recommend|more (from|in|on|about|stories|articles|posts)|you may|you might|also like|read (more|next|also)|popular|trending|latest|recent|ähnlich|mehr zum|weitere|das könnte/i,
    2,
  ],
  [/share|follow|subscribe|newsletter|sign up|contact|get in touch|connect/i, 3],
  [/about the author|written by|author|über den autor/i, 4],
  [/categor|archive|tags?\b|search|menu|navigation|links|blogroll|sponsor|advert/i, 5],
  [/reference|sources|footnotes|notes|further reading|bibliograph/i, 6],
  [/cookie|privacy|consent/i, 7],
  [/review|rating|customer/i, 8],
  [/faq|frequently asked|questions/i, 9],
  [/table of contents|on this page|in this article|contents/i, 10],
];

const TOPICS_MAX = 2_000;
const knownTopics = new Map<string, number>();

/** Headings are asked about once per block below them, so their topics are remembered. */
function headingTopic(text: string): number {
  const start = text.slice(0, 80);
  const known = knownTopics.get(start);
  if (known !== undefined) return known;
  const topic = TOPICS.find(([pattern]) => pattern.test(start))?.[1] ?? 0;
  if (knownTopics.size >= TOPICS_MAX) knownTopics.clear();
  // A slice of the page would keep the whole page in memory; this copies the words.
  knownTopics.set(` ${start}`.slice(1), topic);
  return topic;
}
