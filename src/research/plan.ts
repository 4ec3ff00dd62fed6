import { oneLine } from '../core/text.ts';
import { condenseQuery } from '../rank/condense.ts';
import { FACETS } from './facets.ts';
import type { ResearchMode } from './parameters.ts';
import { sourceIdOf, type SubQuery } from './state.ts';
import { languageOf } from '../evidence/language.ts';
import { contentTerms, contentWords, namesIn } from '../evidence/terms.ts';

/** The first search results, as planning needs them. */
export interface Scouted {
  title: string;
  text: string;
}

const OVERVIEW = 'Overview';
/** Most providers accept no longer queries. */
export const QUERY_CHARS_MAX = 400;

/** The question itself is searched first; its results suggest names to search for. */
export const firstSubQuery = (query: string): SubQuery => toSubQuery(query, OVERVIEW, 1);

/**
 * A plan without a model: the parts of the question, then alternating facets of the mode and names from the
 * first results. It is deterministic.
 */
export function planSubQueries(
  query: string,
  mode: ResearchMode,
  scouted: Scouted[],
  countMax: number,
): SubQuery[] {
  const core = coreOf(query);
  const names = namesIn(
    scouted.map(({ title, text }) => `${title}. ${text}`),
    query,
  ).map((name) => ({ query: `${core} ${name}`, facet: name }));
  // Facets are in English; for other scripts they would be noise.
  const facets = isLatin(core)
    ? FACETS[mode].map(({ label, words }) => ({ query: `${core} ${words}`, facet: label }))
    : [];
  const parts = partsOf(query).map((part) => ({ query: part, facet: part }));
  const planned = [{ query, facet: OVERVIEW }, ...parts, ...byTurns(facets, names)];
  return distinctQueries(planned.map((one) => toSubQuery(one.query, one.facet, 1))).slice(0, countMax);
}

export function toSubQuery(query: string, facet: string, iteration: number, gapId?: string): SubQuery {
  const { text } = condenseQuery(oneLine(query), { charsMax: QUERY_CHARS_MAX });
  return {
    id: sourceIdOf('subq', text.toLowerCase()),
    query: text,
    facet: oneLine(facet).slice(0, 80),
    iteration,
    ...(gapId === undefined ? {} : { gapId }),
  };
}

/** Removes duplicate queries. */
export const distinctQueries = (subQueries: SubQuery[]): SubQuery[] => [
  ...new Map(subQueries.map((one) => [one.id, one])).values(),
];

const QUESTION_WORDS =
  /^(?:please\s+)?(?:(?:what|who|where|when|why|which|how)\b(?:\s+(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|much|many))?|(?:is|are|does|do|can)\b|tell me about|explain|describe|compare|find out)\s+(?:(?:the|a|an)\s+)?/i;

const CORE_WORDS_MAX = 6;

/** The core terms of the question, to combine with others. */
export function coreOf(query: string): string {
  const core = oneLine(query)
    .replace(/[?？]+\s*$/, '')
    .replace(QUESTION_WORDS, '')
    .trim();
  const words = contentWords(core);
  if (core.split(/\s+/).length <= CORE_WORDS_MAX || words.length === 0)
    return core === '' ? oneLine(query) : core;
  return words.slice(0, CORE_WORDS_MAX).join(' ');
}

interface Part {
  /** With its subject, to search for. */
  query: string;
  /** As it was asked. */
  asked: string;
}

const ASKING = 'how|what|when|why|who|which|where';
/** `and` before a question word. */
const AND_ASKING = [
  `and\\s+(?=(?:${ASKING})\\b|(?:did|does|do|has|have|is|are|was|were|can|will)\\s(?:it|they|the|there)\\b)`,
  'und\\s+(?=(?:wie|was|wann|warum|wer|we[nm]|welche[rsnm]?|wo|woher|wohin|wodurch)\\b)',
  'y\\s+(?=(?:(?:a|de|en|por|para|con)\\s+)?(?:cómo|qué|cuándo|quién|quiénes|cuál|cuáles|dónde|cuánt[oa]s?)(?!\\p{L}))',
  "et\\s+(?=(?:comment|quand|pourquoi|qui|quel(?:le)?s?|où|combien|que)(?!\\p{L})|qu[’'])",
].join('|');
const JOINED = new RegExp(
  `(?<=[?？;；])\\s*|,?\\s+(?:${AND_ASKING})|,\\s+(?=(?:${ASKING})\\s(?:is|are|was|were|does?|did|will|can|has|have|had|much|many)\\b)`,
  'iu',
);

/** Splits a question into its sentences, joined questions (`and how …`), and the sides of a comparison. */
function splitQuestion(query: string): Part[] {
  const text = oneLine(query);
  const questions = text
    .split(JOINED)
    .map((part) => part.replace(/[;；]$/, '').trim())
    .filter((part) => part.length > 8);
  const versus = /^(?:compare\s+)?(.{2,80}?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.{2,80})$/i.exec(
    text.replace(/[?？]+\s*$/, '').replace(QUESTION_WORDS, ''),
  );
  const sides = versus === null ? [] : [versus[1] ?? '', versus[2] ?? ''];
  return [
    ...(questions.length > 1 ? questions.map((asked) => ({ query: withSubject(asked, text), asked })) : []),
    ...sides.map((side) => ({ query: side, asked: side })),
  ];
}

/** The parts of a question, as they are searched for. */
export const partsOf = (query: string): string[] => splitQuestion(query).map((part) => part.query);

/** The parts of a question that name what they are about; `where was it developed` does not. */
export function wholeParts(query: string): string[] {
  const parts = partsOf(query);
  if (languageOf(query) !== 'de')
    return parts.filter((part) => !/\b(?:it|its|they|them|their|he|his|she|her|this|these)\b/i.test(part));
  // The name is not added to German parts, so only those that share a word with another are about the same.
  const terms = parts.map((part) => contentTerms(part));
  return parts.filter((_, at) =>
    terms.some((others, other) => other !== at && [...others].some((term) => terms[at]?.has(term) === true)),
  );
}

/** The parts of a question as they were asked, each with the words that no other part has. */
export function partsWithOwnWords(query: string): { asked: string; words: string[] }[] {
  const parts = splitQuestion(query);
  const terms = parts.map((part) => contentTerms(part.query));
  const isOwn = (term: string, at: number): boolean =>
    terms.every((others, other) => other === at || !others.has(term));
  return parts.map((part, at) => ({
    asked: part.asked,
    words: contentWords(part.query).filter((word) => [...contentTerms(word)].some((term) => isOwn(term, at))),
  }));
}

const NAMES = /(?<=\s)\p{Lu}[\p{L}\p{N}-]+(?:\s\p{Lu}[\p{L}\p{N}-]+)*/gu;
const PRONOUN = /\b(?:it|they|them|he|she)\b/i;

/** Adds the subject of the whole question to a part that refers to it as `it` or `the canal`. */
function withSubject(part: string, whole: string): string {
  // German capitals do not show names.
  const names = languageOf(whole) === 'de' ? [] : (whole.match(NAMES) ?? []);
  const missing = names.filter((name) => !part.includes(name));
  const [name] = names;
  if (name === undefined || missing.length === 0) return part;
  const noun = new RegExp(`${name}\\s+(\\p{Ll}{3,})`, 'u').exec(whole)?.[1];
  const isNoun = noun !== undefined && contentWords(noun).length > 0 && !noun.endsWith('ed');
  const subject = isNoun ? `the ${name} ${noun}` : name;
  if (missing.length === names.length && PRONOUN.test(part)) return part.replace(PRONOUN, subject);
  const mention = new RegExp(`\\b(?:the\\s+)?${noun}\\b`);
  if (isNoun && missing.length === names.length && mention.test(part)) return part.replace(mention, subject);
  return [...missing, part].join(' ');
}

const isLatin = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = text.match(/\p{Script=Latin}/gu) ?? [];
  return latin.length >= letters.length * 0.7;
};

function byTurns<Value>(a: Value[], b: Value[]): Value[] {
  const turns: Value[] = [];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    turns.push(...a.slice(at, at + 1), ...b.slice(at, at + 1));
  }
  return turns;
}

/** The parts of a question as they were asked, or the question itself if it has none. */
export function askedParts(query: string): { asked: string; words: string[] }[] {
  const parts = partsWithOwnWords(query);
  return parts.length > 0 ? parts : [{ asked: query, words: contentWords(query) }];
}
