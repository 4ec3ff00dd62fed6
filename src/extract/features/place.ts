import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import { containerOf, headingOf, isInside, linkShareOf, type Survey, sumOver } from './survey.ts';

const LEVELS = [0, 1, 2, 3, 4, 6, 8].map((level) => ({
  level,
  share: `level[${level}].share`,
  linkShare: `level[${level}].link_share`,
  paragraphs: `level[${level}].paragraphs`,
  density: `level[${level}].words_per_block`,
}));

/**
 * Writes the position of a block: on the page, in its containers, among its neighbours and in repeated
 * structures.
 */
export function writePlace(row: Row, survey: Survey, index: number): void {
  const block = survey.tree.blocks[index] as Block;
  const container = containerOf(block);
  writePosition(row, survey, index);
  writeLevels(row, survey, container);
  writeNeighbours(row, survey, index);
  writeRepeats(row, survey, block, index);
  writeCandidate(row, survey, CANDIDATE, index);
  writeCandidate(row, survey, MARKED, index);
  writeHeading(row, survey, index);
}

function writePosition(row: Row, survey: Survey, index: number): void {
  const count = survey.tree.blocks.length;
  const total = Math.max(1, survey.words[count] as number);
  put(row, 'position.index', index);
  put(row, 'position.from_end', count - index);
  put(row, 'position.share', index / count);
  put(row, 'position.words_before', (survey.words[index] as number) / total);
  put(
    row,
    'position.links_before',
    (survey.linkWords[index] as number) / Math.max(1, survey.words[index] as number),
  );
  put(
    row,
    'position.paragraphs_before',
    (survey.paragraphs[index] as number) / Math.max(1, survey.paragraphs[count] as number),
  );
  put(
    row,
    'position.paragraphs_after',
    (survey.paragraphs[count] as number) - (survey.paragraphs[index] as number),
  );
}

/** Share of the page, links and paragraphs of the ancestors. */
function writeLevels(row: Row, survey: Survey, container: ElementNode): void {
  const count = survey.tree.blocks.length;
  const total = Math.max(1, survey.words[count] as number);
  const paragraphs = Math.max(1, survey.paragraphs[count] as number);
  let element = container;
  let level = 0;
  for (const names of LEVELS) {
    while (level < names.level && element.parent !== undefined) {
      element = element.parent;
      level += 1;
    }
    const words = sumOver(survey.words, element);
    put(row, names.share, words / total);
    put(row, names.linkShare, words === 0 ? 0 : sumOver(survey.linkWords, element) / words);
    put(row, names.paragraphs, sumOver(survey.paragraphs, element) / paragraphs);
    put(row, names.density, words / Math.max(1, element.end - element.first));
  }
}

const NEAR = [-3, -2, -1, 1, 2, 3].map((offset) => ({
  offset,
  words: `near[${offset}].words`,
  linkShare: `near[${offset}].link_share`,
  kind: `near[${offset}].kind`,
  distance: `near[${offset}].distance`,
}));

function writeNeighbours(row: Row, survey: Survey, index: number): void {
  const container = containerOf(survey.tree.blocks[index] as Block);
  for (const names of NEAR) {
    const measure = survey.measures[index + names.offset];
    const block = survey.tree.blocks[index + names.offset];
    const isThere = measure !== undefined && block !== undefined;
    put(row, names.words, isThere ? measure.words : -1);
    put(row, names.linkShare, isThere ? measure.linkShare : -1);
    put(row, names.kind, isThere ? kindOf(measure, block) : -1);
    put(row, names.distance, isThere ? distance(container, block.element) : -1);
  }
}

const kindOf = (measure: Measure, block: Block): number =>
  Number(measure.endsSentence) + 2 * Number(HEADING_TAGS.has(block.element.tag));

/** The number of levels up to the common ancestor, at most 8. */
function distance(from: ElementNode, to: ElementNode): number {
  let element = from;
  for (let level = 0; level < 8; level++) {
    if (isInside(to, element)) return level;
    if (element.parent === undefined) return level;
    element = element.parent;
  }
  return 8;
}

/** Writes the features of repeated structures: the ancestor with the most siblings of its kind, and its size. */
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
  put(row, 'repeat.path', survey.pathCounts[index] as number);
  put(
    row,
    'repeat.kind',
    block.element.order < 0 ? 0 : (survey.kindCounts[survey.kinds[block.element.order] as number] ?? 0),
  );
  put(row, 'repeat.siblings', most);
  put(row, 'repeat.level', bestLevel);
  put(row, 'repeat.words', best === undefined ? 0 : sumOver(survey.words, best));
  put(row, 'repeat.link_share', best === undefined ? 0 : linkShareOf(survey, best));
  put(row, 'repeat.blocks', best === undefined ? 0 : best.end - best.first);
  const group = best?.parent;
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  put(row, 'repeat.group_share', group === undefined ? 0 : sumOver(survey.words, group) / total);
  put(row, 'repeat.group_link_share', group === undefined ? 0 : linkShareOf(survey, group));
  put(row, 'repeat.group_position', group === undefined ? 0 : group.first / survey.tree.blocks.length);
}

interface CandidateNames {
  of: 'candidate' | 'marked';
  distance: string;
  depth: string;
  share: string;
  position: string;
  isParentAround: string;
}

const candidateNames = (of: CandidateNames['of']): CandidateNames => ({
  of,
  distance: `${of}.distance`,
  depth: `${of}.depth`,
  share: `${of}.share`,
  position: `${of}.position`,
  isParentAround: `${of}.in_parent`,
});
const CANDIDATE = candidateNames('candidate');
const MARKED = candidateNames('marked');

function writeCandidate(row: Row, survey: Survey, names: CandidateNames, index: number): void {
  const candidate = survey[names.of];
  const isIn = index >= candidate.first && index < candidate.end;
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  put(
    row,
    names.distance,
    isIn ? 0 : index < candidate.first ? index - candidate.first : index - candidate.end + 1,
  );
  put(row, names.depth, isIn ? (survey.tree.blocks[index] as Block).element.depth - candidate.depth : -1);
  put(row, names.share, sumOver(survey.words, candidate) / total);
  put(
    row,
    names.position,
    isIn ? (index - candidate.first) / Math.max(1, candidate.end - candidate.first) : -1,
  );
  const parent = candidate.parent;
  put(row, names.isParentAround, parent !== undefined && index >= parent.first && index < parent.end ? 1 : 0);
}

const HEADING_REACH = 60;

/** The heading above: how far, which level, and whether it opens something that is usually not content. */
function writeHeading(row: Row, survey: Survey, index: number): void {
  const { blocks } = survey.tree;
  const last = survey.headings[index] as number;
  const heading =
    last < 0 || index - last > HEADING_REACH ? undefined : headingOf((blocks[last] as Block).element);
  const isThere = heading !== undefined;
  put(row, 'heading.blocks_above', isThere ? index - last : -1);
  put(row, 'heading.level', isThere ? Number(heading.tag[1]) : -1);
  put(row, 'heading.distance', isThere ? distance(containerOf(blocks[index] as Block), heading) : -1);
  put(row, 'heading.words', isThere ? (survey.measures[last] as Measure).words : -1);
  put(row, 'heading.topic', isThere ? headingTopic((blocks[last] as Block).text) : -1);
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

/** The topic of a heading. Cached, because every block below a heading asks for it. */
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
