import type { Sentence } from '../evidence/sentences.ts';
import { createCover } from '../rank/cover.ts';
import { isAboutNow, timeOf, withoutNow } from './now.ts';
import { wholeParts } from './plan.ts';
import type { ResearchSource, ResearchState } from './state.ts';
import { createSiblings } from './siblings.ts';
import { namesAsked } from './themes.ts';
import { hostOf } from '../core/url.ts';
import { fold } from '../rank/tokenise.ts';
import type { Centrality } from './centrality.ts';

export interface Scored {
  source: ResearchSource;
  sentence: Sentence;
  /** The heading above it. */
  heading: string;
  /** Whether its page begins with it. */
  isFirst: boolean;
  /** Where the next sentence ends. */
  nextEnd: number | undefined;
  /** Whether other sites have the same words. */
  isShared: boolean;
  /** How well the whole page matches, 1 for the best. */
  page: number;
  score: number;
}

export interface Judged {
  /** Whether it only shares words with the question. */
  isOff: boolean;
  /** Whether it has the words of the question itself, and not only its page. */
  isClose: boolean;
}

/** Of the best page or sentence, the share of the question that another must cover to be about it. */
const PAGE_SHARE = 0.4;
/** Where it can be told how central pages are, that counts this much beside the question, and more is asked of a page. */
const CENTRALITY_WEIGHT = 0.8;
const PAGE_SHARE_KNOWN = 0.5;
/** A page that has less than half of the names of the question that others have counts by this much less. */
const UNNAMED_SHARE = 0.65;
const SENTENCE_SHARE = 0.5;
/** On a page that matches this well, sentences need not repeat the words of the question, least of all on a central one. */
const GOOD_PAGE = 0.6;
const GOOD_PAGE_SHARE = 0.2;
/** What a sentence must cover beyond the title of its page, unless both together cover nearly all. */
const GAIN_MIN = 0.05;
const WHOLE = 0.9;
/** With enough sentences that do, the others are off where pages have too little in common to tell; elsewhere they count less. */
const ENOUGH = 5;
const TRUST_MIN = 0.3;
const TITLE_WEIGHT = 0.8;
/** How much of a page tells what it is about. */
const PAGE_CHARS = 3_000;

/**
 * Judges whether sentences are about the question or only share words with it. What only repeats the title of its page and what
 * is old counts less, the latter most for questions about now.
 */
export function onTopic<One extends Scored>(
  state: ResearchState,
  centrality: Centrality,
  scored: One[],
): (One & Judged)[] {
  const asked = withoutNow(state.query);
  const covers = [asked, ...wholeParts(asked)].map((part) => createCover(part));
  const pages = pagesAbout(state, centrality, scored, (text) =>
    Math.max(...covers.map((cover) => cover.of(text))),
  );
  const titles = new Map(
    [...pages.keys()].map((source) => [source, covers.map((cover) => cover.of(source.title))]),
  );
  const judged = scored.map((one) => {
    const { text, context = '' } = one.sentence;
    const title = titles.get(one.source) ?? [];
    const found = covers.map((cover) => cover.of(one.source.title, one.heading, context, text));
    const adds = found.some((value, at) => value - (title[at] ?? 0) >= GAIN_MIN || value >= WHOLE);
    return {
      ...one,
      about: Math.max(...found),
      alone: one.isShared ? Math.max(...covers.map((cover) => cover.of(text))) : 0,
      adds,
    };
  });
  const most = Math.max(0.01, ...judged.map(({ about }) => about));
  const isKept = ({ about, alone, source, page, isShared }: (typeof judged)[number]): boolean => {
    const share = page >= GOOD_PAGE ? GOOD_PAGE_SHARE * (1 - centrality.trust(source)) : SENTENCE_SHARE;
    return (isShared ? alone >= most * SENTENCE_SHARE : about >= most * share) && pages.get(source) === true;
  };
  const isStrict = judged.filter((one) => one.adds && isKept(one)).length >= ENOUGH;
  const recency = recencyIn(state);
  const isSibling = createSiblings(state.query, scored);
  const weightOf = ({ adds, source }: (typeof judged)[number]): number =>
    adds ? 1 : TITLE_WEIGHT + (1 - TITLE_WEIGHT) * centrality.trust(source);
  return judged.map((one) => ({
    ...one,
    score: one.score * weightOf(one) * recency(one.source),
    isClose: one.adds && one.about >= most * SENTENCE_SHARE,
    isOff:
      isSibling(one) || !isKept(one) || (isStrict && !one.adds && centrality.trust(one.source) < TRUST_MIN),
  }));
}

/** Whether each page is about the question: it covers enough of it, half as much if it does not name what others name. */
function pagesAbout(
  { query }: ResearchState,
  centrality: Centrality,
  scored: Scored[],
  coverOf: (text: string) => number,
): Map<ResearchSource, boolean> {
  const names = namesAsked(query);
  const pages = [...new Set(scored.map(({ source }) => source))].map((source) => {
    const head = `${source.title}\n${source.text.slice(0, PAGE_CHARS)}`;
    const text = fold(`${hostOf(source.url)}\n${source.title}\n${source.text}`);
    return { source, cover: coverOf(head), named: names.filter((name) => text.includes(name)).length };
  });
  const mostNamed = Math.max(0, ...pages.map(({ named }) => named));
  const nameShare = ({ named }: (typeof pages)[number]): number =>
    named * 2 < mostNamed ? UNNAMED_SHARE : 1;
  const shareOf = (page: (typeof pages)[number]): number => page.cover * nameShare(page);
  const most = Math.max(0.01, ...pages.map(shareOf));
  const isAbout = (page: (typeof pages)[number]): boolean => {
    const trust = centrality.trust(page.source);
    const share = CENTRALITY_WEIGHT * trust;
    const least = PAGE_SHARE + (PAGE_SHARE_KNOWN - PAGE_SHARE) * trust;
    const about = ((1 - share) * shareOf(page)) / most + share * nameShare(page) * centrality.of(page.source);
    return about >= least;
  };
  const about = new Set(pages.filter(isAbout).map(({ source }) => source));
  return new Map(pages.map(({ source }) => [source, about.has(source)]));
}

/** The least weight of an old page when the question is about now. */
const OLD_WEIGHT = 0.6;
/** What a page loses for every year that it is older than the newest, when the question is not about now. */
const LOSS_PER_YEAR = 0.08;
const YEARS_MAX = 5;
const YEAR_MS = 365.25 * 24 * 3_600_000;

/** The weight of a page by its date: 1 for the newest. */
function recencyIn({ query, sources }: ResearchState): (source: ResearchSource) => number {
  const times = sources.flatMap(({ publishedDate }) => timeOf(publishedDate) ?? []);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (!(newest > oldest)) return () => 1;
  const isNow = isAboutNow(query);
  return ({ publishedDate }) => {
    const time = timeOf(publishedDate);
    if (isNow) return OLD_WEIGHT + (1 - OLD_WEIGHT) * (((time ?? oldest) - oldest) / (newest - oldest));
    return 1 - LOSS_PER_YEAR * Math.min(YEARS_MAX, (newest - (time ?? newest)) / YEAR_MS);
  };
}
