import { isAside, isDefinition } from '../evidence/notice.ts';
import { readable } from '../evidence/quote.ts';
import { read, type Reading } from '../evidence/reading.ts';
import { contentTerms, namesOf } from '../evidence/terms.ts';
import { fold } from '../rank/tokenise.ts';
import { asksWhat } from './answer-fit.ts';
import { timeOf } from './now.ts';
import type { ResearchSource } from './state.ts';

/**
 * What it is worth that a sentence matches the question, how much it says, what kind of sentence it is and where on its page: a logistic
 * regression on 2,300 sentences of 20 questions, each judged by whether one would keep it in a report.
 */
export const WEIGHTS = {
  bias: -12.5,
  match: 4.4,
  width: 2.2,
  years: -1.6,
  definition: -1.8,
  names: -1,
  quote: -0.5,
  item: 1.3,
  first: -3.4,
  lead: -0.9,
  aside: -2.8,
  end: -0.9,
  overtaken: -2,
  unnamed: -1.5,
  date: 0.5,
  negated: 0.8,
  told: 1.9,
  section: 1.8,
};

/** The log odds of a match alone: a good half of the best has even chances. What is planned is worth less than what came of it, unless it is asked for. */
const ALONE = { bias: -2.2, match: 4.3, plan: -0.8 };

/** What a sentence gains that fits a part of the question in nearly all of its words. */
const DIRECT = { gain: 2, from: 0.95 };

/** Characters of these scripts say as much as several of others. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const DENSE_WIDTH = 2.5;
const NAMES_MAX = 4;
const QUOTED = /["“”«»„「]/u;
const ITEM = /(?:^|\n)\s*(?:[-*+•]|\d{1,3}[.)])\s+$/;
const ITEM_CHARS = 12;
/** Whether what begins there is a line of a list. */
export const isItem = (text: string, start: number): boolean =>
  ITEM.test(text.slice(Math.max(0, start - ITEM_CHARS), start));

const YEAR = /(?<![\p{Script=Latin}\p{N}.,])(?:1[5-9]|20)\d\d(?![.,]?\p{N})/gu;
/** A sentence this much older than what is told is as old as any. */
const YEARS_MAX = 10;
const EXPECTED =
  /\b(?:should|will|due to|(?:is|are) to|soll(?:en|te|ten)?|wird|werden|devrai(?:t|ent)|sera|seront|será|serán|debería\w*)(?!\p{L})|予定|見込|预计|将/u;
const OVERTAKEN_MS = 60 * 24 * 3_600_000;
const HEADING = /^\s{0,3}#{1,6}\s/m;
/** After this share of a page it ends. */
const END = 2 / 3;
/** So many of the sentences that match best tell which years a question is about, of which all but the latest quarter may be earlier. */
const MATCHING = 20;
const MATCHING_MIN = 3;
const LATEST = 0.75;

interface Sentence {
  /** `context` is the previous sentence, if this one goes on from it. */
  sentence: { text: string; start: number; context?: string };
  /** The heading above it. */
  heading: string;
  /** Whether its page begins with it. */
  isFirst: boolean;
  source: { text: string; textKind: ResearchSource['textKind']; publishedDate?: string };
  /** How well it matches the question, about 1 for the best. */
  score: number;
  /** How well it fits a part of the question, 0–1. */
  fit: number;
}

/** The chance that a sentence belongs in a report, as log odds. */
interface Merit {
  /** By its words, before it is parsed. */
  of(sentence: Sentence): number;
  /** What its parsed statement adds. */
  added(sentence: Sentence, reading: Reading): number;
}

/** `trust` says how far pages tell of one thing, 0–1: where they have little in common, the match alone decides. */
export function createMerit(query: string, sentences: Sentence[], trust: number): Merit {
  const isAsked = asksWhat(query);
  const compared = comparedIn(query);
  const isPlanAsked = read(query).isHypothetical;
  const about = yearAbout(sentences);
  const asked = contentTerms(query);
  /** Whether the question asks for the section of a heading: a history, say. */
  const isNamed = (heading: string): boolean => [...contentTerms(heading)].some((term) => asked.has(term));
  /** How far a sentence is about earlier years, 0–1; what answers a part of the question may be as old as it likes. */
  const oldness = (said: string, fit: number): number => {
    const year = yearIn(said);
    if (about === undefined || year === undefined || year >= about) return 0;
    return (Math.min(YEARS_MAX, about - year) / YEARS_MAX) * (1 - fit ** 2);
  };
  const newest = sentences.reduce((most, { source }) => Math.max(most, timeOf(source.publishedDate) ?? 0), 0);
  return {
    of: ({ sentence: { text, start, context = '' }, heading, isFirst, source, score, fit }) => {
      const said = readable(text);
      const before = source.text.slice(0, start);
      // Questions for what a thing is are answered where a page begins.
      const isIntroduced = !isAsked && source.textKind !== 'snippet';
      const learned =
        WEIGHTS.bias +
        WEIGHTS.match * score +
        WEIGHTS.width * Math.log(widthOf(said)) +
        (!isAsked && (isDefinition(said) || isDefinition(readable(context))) ? WEIGHTS.definition : 0) +
        (QUOTED.test(said) || QUOTED.test(context) ? WEIGHTS.quote : 0) +
        (isItem(source.text, start) ? WEIGHTS.item : 0) +
        (source.textKind !== 'snippet' && start > source.text.length * END ? WEIGHTS.end : 0) +
        // What answers a part of the question may stand anywhere.
        (1 - fit ** 2) *
          ((isIntroduced && isFirst ? WEIGHTS.first : 0) +
            (isIntroduced && !HEADING.test(before) && HEADING.test(source.text) ? WEIGHTS.lead : 0) +
            (isAside(readable(heading)) && !isNamed(heading) ? WEIGHTS.aside : 0));
      const alone = ALONE.bias + ALONE.match * score;
      const direct = fit >= DIRECT.from ? DIRECT.gain : 0;
      const named = fold(`${context} ${said}`);
      const isUnnamed = compared.length > 0 && !compared.some((name) => named.includes(name));
      return (
        trust * learned +
        (1 - trust) * alone +
        direct +
        WEIGHTS.years * oldness(said, fit) +
        (isUnnamed ? WEIGHTS.unnamed : 0)
      );
    },
    added: ({ sentence: { text }, source }, { language, negated, units, isHypothetical }) => {
      // German capitals do not show names.
      const names = language === 'de' ? 0 : Math.min(NAMES_MAX, namesOf(readable(text)).length) / NAMES_MAX;
      const dates = units.flatMap(({ figure }) => (figure?.dimension === 'date' ? [figure.high] : []));
      const hasDate = units.some(({ figure }) => figure?.kind === 'date');
      // What an older page expected for a day that has passed since.
      const isOvertaken =
        (isHypothetical || EXPECTED.test(text)) &&
        dates.some((date) => date < dayOf(newest)) &&
        newest - (timeOf(source.publishedDate) ?? newest) > OVERTAKEN_MS;
      const learned =
        WEIGHTS.names * names +
        (hasDate ? WEIGHTS.date : 0) +
        (negated.size > 0 ? WEIGHTS.negated : 0) +
        (isOvertaken ? WEIGHTS.overtaken : 0);
      return trust * learned + (1 - trust) * (isHypothetical && !isPlanAsked ? ALONE.plan : 0);
    },
  };
}

const SIDE = /\p{Lu}[\p{L}\p{N}-]+(?:\s(?:\p{Lu}[\p{L}\p{N}-]*|\p{N}+))*/u.source;
const COMPARED = new RegExp(
  `(${SIDE})\\s(?:or|vs\\.?|versus|oder|ou|o)\\s(?:(?:the|der|die|das|le|la|el)\\s)?(${SIDE})`,
  'u',
);

/** The names that a question compares, as folded words: a figure of one of them says nothing without its name. */
const comparedIn = (query: string): string[] =>
  (COMPARED.exec(query) ?? [])
    .slice(1)
    .flatMap((side) => fold(side).split(/\s+/))
    .filter((word) => /\p{L}{3}/u.test(word));

/** yyyymmdd, as figures write dates. */
const dayOf = (time: number): number => Number(new Date(time).toISOString().slice(0, 10).replaceAll('-', ''));

/** The chance, 0–1, of log odds. */
export const chanceOf = (merit: number): number => 1 / (1 + Math.exp(-merit));

const widthOf = (text: string): number => text.length + (DENSE_WIDTH - 1) * (text.match(DENSE)?.length ?? 0);

/** The latest year of a sentence. */
const yearIn = (text: string): number | undefined => {
  const years = Array.from(text.matchAll(YEAR), ([year]) => Number(year));
  return years.length === 0 ? undefined : Math.max(...years);
};

/** The year that a question is about, by the sentences that match it best; undefined if too few have one. */
function yearAbout(sentences: Sentence[]): number | undefined {
  const years = sentences
    .toSorted((a, b) => b.score - a.score)
    .flatMap(({ sentence }) => yearIn(readable(sentence.text)) ?? [])
    .slice(0, MATCHING)
    .sort((a, b) => a - b);
  return years.length < MATCHING_MIN ? undefined : years[Math.floor((years.length - 1) * LATEST)];
}
