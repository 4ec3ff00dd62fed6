import { LIMITS } from '../core/limits.ts';
import { candidatesOf, type SentenceCandidate } from './candidates.ts';
import { createCopies } from './copies.ts';
import { sourceIdOf, type Confidence, type Conflict, type Finding, type ResearchState } from './state.ts';
import { readable } from '../evidence/quote.ts';
import { themesOf } from './themes.ts';
import { rarityOf } from '../rank/cover.ts';
import { fold } from '../rank/tokenise.ts';
import { isTelling } from './gaps.ts';
import { disputesIn } from './disputes.ts';
import { createRelations, groupOf, type Group, type Relate } from './groups.ts';
import { partsWithOwnWords } from './plan.ts';
import {
  hasFigure,
  hasFigureNearly,
  isDay,
  isSaid,
  overlap,
  passageOf,
  saidBy,
  saidIn,
  saying,
  spanOf,
} from './said.ts';
import { sameFiguresIn, type SameFigure } from './same-figures.ts';
import { contentTerms, mentions, namesOf } from '../evidence/terms.ts';

/** So many findings need this score; further ones need a better one, unless several sites say the same. */
const ENOUGH = 4;
const FEW_SCORE_MIN = 0.25;
const FINDING_SCORE_MIN = 0.86;
/** A sentence without a word of the question needs this score everywhere. */
const FAR_SCORE_MIN = 0.5;
/** A sentence says nothing new if the findings have this share of its words, and this of its figures. */
const KNOWN = 0.3;
const KNOWN_FIGURES = 0.5;
/** If it has figures, all of which the findings have, a smaller share is enough, by their number. */
const KNOWN_WITH_FIGURES = [KNOWN, 0.15, 0.1];
const CLOCK = /\b\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\b\.?|\sUhr|\sh\b)?|\b\d{1,2}\s?[ap]\.?m\b\.?/giu;
/** Sentences below this score are only checked for contradictions. */
const MINOR_SCORE_MIN = 0.25;

/**
 * Findings without a model: the sentences that answer the question best, word for word. Statements repeated
 * on other sites are kept as support, contradictions are reported, and findings are grouped by the parts of the question.
 */
export async function analyse(
  state: ResearchState,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; conflicts: Conflict[] }> {
  const candidates = await candidatesOf(state, signal);
  const relate = createRelations();
  const asked = contentTerms(state.query);
  const chosen = choose(candidates, relate, asked);
  const disputes = await disputesIn(candidates, chosen, relate, asked);
  const disputed = new Set(disputes.flatMap(({ sides }) => sides.map(({ group }) => group)));
  const alike = findSameFigures(chosen, candidates, { asked, disputed });
  answerParts(chosen, candidates, state.query);
  const isSupported = ({ echoes, copies }: Group): boolean => echoes.length > copies.size;
  // The same words on several sites, which answer little, are a notice of them all.
  const isSaidAgain = ({ lead, echoes, copies }: Group): boolean =>
    echoes.some((echo) => !copies.has(echo) && readable(echo.text) !== readable(lead.text));
  const groups = chosen.filter(
    (group) => !group.isMinor || isSaidAgain(group) || disputed.has(group) || alike.has(group),
  );
  const themes = themesOf(
    groups.map(({ lead }) => lead),
    state.query,
  );
  const findings = groups.flatMap((group, at) => {
    const { lead, echoes } = group;
    const theme = themes[at] ?? '';
    const isDisputed = disputed.has(group);
    const confidence = confidenceOf(lead, isSupported(group), isDisputed);
    const same = alike.get(group);
    const main: Finding = {
      ...toFinding(lead, theme, confidence),
      ...(isDisputed ? {} : ownPassage(group, groups, asked)),
      ...(group.isMinor ? { isMinor: true } : {}),
      ...(same === undefined
        ? {}
        : { sameFigure: { of: findingId(same.first.lead), kind: same.kind, figure: same.figure } }),
    };
    const toEcho = (echo: SentenceCandidate): Finding => ({
      ...toFinding(echo, theme, confidence),
      echoOf: main.id,
      ...(group.copies.has(echo) ? { isCopy: true } : {}),
    });
    return [main, ...echoes.map(toEcho)];
  });
  const conflicts = disputes.map(({ kind, sides }): Conflict => ({
    kind,
    sides: sides.map(({ group, value }) => ({
      value,
      findingIds: [group.lead, ...group.echoes].map(findingId),
    })),
  }));
  return { findings, conflicts };
}

interface SameAs extends Pick<SameFigure, 'kind' | 'figure'> {
  first: Group;
}

function choose(candidates: SentenceCandidate[], relate: Relate, asked: Set<string>): Group[] {
  const groups: Group[] = [];
  const isCopy = createCopies();
  const perSource = new Map<string, number>();
  for (const candidate of candidates) {
    const same = groups.find(({ lead, echoes }) =>
      [lead, ...echoes].every((one) => relate(one, candidate).relation === 'same'),
    );
    if (same !== undefined) {
      const members = [same.lead, ...same.echoes];
      if (members.some(({ host }) => host === candidate.host)) continue;
      if (members.some((one) => isCopy(one, candidate))) same.copies.add(candidate);
      same.echoes.push(candidate);
      continue;
    }
    if (candidate.isOff || groups.some(({ lead }) => isPrinted(lead, candidate))) continue;
    const found = groups.filter(({ isMinor }) => !isMinor).length;
    // The best is shown however little it matches; what it is worth is said elsewhere.
    const least = found === 0 ? 0 : found < ENOUGH ? FEW_SCORE_MIN : FINDING_SCORE_MIN;
    const shorter =
      candidate.score < least ? undefined : groups.find((group) => isWithin(group, candidate, relate, asked));
    if (shorter !== undefined) {
      shorter.lead = candidate;
      continue;
    }
    const isMinor =
      candidate.score < (candidate.isClose ? least : Math.max(least, FAR_SCORE_MIN)) ||
      isKnown(candidate, groups, relate, asked);
    if (isMinor && (!candidate.isClose || candidate.score < MINOR_SCORE_MIN)) continue;
    const count = perSource.get(candidate.source.id) ?? 0;
    const isFull = groups.length >= LIMITS.researchFindingsMax / 2;
    if (isFull || count >= LIMITS.researchFindingsPerSourceMax) continue;
    if (!isMinor) perSource.set(candidate.source.id, count + 1);
    groups.push({ lead: candidate, echoes: [], copies: new Set(), isMinor });
  }
  return groups;
}

/** Whether all that a statement says is in a longer sentence of another page, which then stands for both. */
function isWithin(
  { lead, echoes, isMinor }: Group,
  next: SentenceCandidate,
  relate: Relate,
  asked: Set<string>,
): boolean {
  if (isMinor || echoes.length > 0 || lead.host === next.host || !next.isClose) return false;
  const isAlike =
    relate(lead, next).relation !== 'contrary' && lead.reading.negated.size === next.reading.negated.size;
  const [less, more] = [saidBy(lead), saidBy(next)];
  const isTelling = less.figures.size > 0 || [...less.terms].some((term) => !asked.has(term));
  const hasAsked = [...less.terms].every((term) => !asked.has(term) || more.terms.has(term));
  return isAlike && isTelling && hasAsked && isSaid(less, more, asked) && !isSaid(more, less, asked);
}

/** Gives every part of the question of which no finding has a word the best sentence that has one. */
function answerParts(groups: Group[], candidates: SentenceCandidate[], query: string): void {
  const foldOf = (one: SentenceCandidate): string => {
    const { start, end } = passageOf(one);
    return fold(one.source.text.slice(start, end));
  };
  for (const { words } of partsWithOwnWords(query)) {
    const telling = words.filter((word) => isTelling(word, query));
    const isIn = (one: SentenceCandidate): boolean => {
      const text = foldOf(one);
      return telling.some((word) => mentions(text, word));
    };
    const isAnswered = groups.some(({ lead, isMinor }) => !isMinor && isIn(lead));
    if (telling.length === 0 || isAnswered) continue;
    const best = candidates.find((one) => !one.isOff && isIn(one));
    const group = best === undefined ? undefined : groupOf(best, groups);
    if (group !== undefined) group.isMinor = false;
  }
}

/**
 * The statements of other sites that have a figure of a finding, in words too different to compare. One that has no other
 * figure is no finding of its own.
 */
function findSameFigures(
  groups: Group[],
  candidates: SentenceCandidate[],
  { asked, disputed }: { asked: Set<string>; disputed: ReadonlySet<Group> },
): Map<Group, SameAs> {
  const alike = new Map<Group, SameAs>();
  // What is in dispute is printed as that.
  const elsewhere = new Set(
    groups.flatMap((group) => [...group.echoes, ...(disputed.has(group) ? [group.lead] : [])]),
  );
  const findings = groups.filter((group) => !group.isMinor && !disputed.has(group));
  const leads = new Set(findings.map(({ lead }) => lead));
  const others = candidates.filter((one) => !one.isOff && !leads.has(one) && !elsewhere.has(one));
  for (const { kind, figure, leads: found } of sameFiguresIn([...leads, ...others], asked)) {
    const first = findings.find(({ lead }) => lead === found[0]);
    if (first === undefined || alike.has(first)) continue;
    for (const lead of found.slice(1)) {
      let group = groups.find((one) => one.lead === lead);
      if (group === undefined) {
        group = { lead, echoes: [], copies: new Set(), isMinor: true };
        groups.push(group);
      }
      if (alike.has(group)) continue;
      alike.set(group, { first, kind, figure });
      group.isMinor ||= [...saidBy(lead).figures].every((one) => hasFigure(saidBy(first.lead), one));
    }
  }
  return alike;
}

/** Whether the findings together have three tenths of what a sentence says, by how rare its words are, and half of its figures. */
function isKnown(next: SentenceCandidate, groups: Group[], relate: Relate, asked: Set<string>): boolean {
  if (groups.some(({ lead }) => readable(lead.text) === readable(next.text))) return true;
  const findings = groups.filter(({ isMinor }) => !isMinor);
  const isDenial =
    next.reading.negated.size > 0 && findings.every(({ lead }) => lead.reading.negated.size === 0);
  if (isDenial || findings.some(({ lead }) => relate(lead, next).relation === 'contrary')) return false;
  const said = findings.map(({ lead }) => saidBy(lead));
  const { terms, figures } = saying(next);
  const own = [...terms].filter((term) => !asked.has(term));
  const weight = (some: string[]): number => some.reduce((sum, term) => sum + rarityOf(term) ** 2, 0);
  const known = own.filter((term) => said.some((one) => one.terms.has(term)));
  const knownFigures = [...figures].filter((figure) => said.some((one) => hasFigureNearly(one, figure)));
  const areFiguresKnown = knownFigures.length === figures.size;
  const share = areFiguresKnown ? (KNOWN_WITH_FIGURES[Math.min(2, figures.size)] ?? KNOWN) : KNOWN;
  // What happened on a day that is printed is told again if it has a word of the findings, and no figure or name of its own.
  const untimed = saidIn(readable(next.text).replaceAll(CLOCK, ' '), next.reading.language).figures;
  const isOfKnownDay =
    [...untimed].some(isDay) &&
    [...untimed].every((figure) => said.some((one) => hasFigureNearly(one, figure)));
  if (isOfKnownDay && known.length > 0 && !hasNewName(next, findings)) return true;
  return (
    own.length > 0 &&
    weight(known) >= weight(own) * share &&
    knownFigures.length >= figures.size * KNOWN_FIGURES
  );
}

/** Whether a sentence has a name that no finding has. German capitals do not show names. */
function hasNewName({ text, reading }: SentenceCandidate, findings: Group[]): boolean {
  const printed = findings.map(({ lead }) =>
    lead.source.text.slice(passageOf(lead).start, passageOf(lead).end),
  );
  return (
    reading.language !== 'de' &&
    namesOf(readable(text)).some((name) => !printed.some((one) => one.includes(name)))
  );
}

const isPrinted = (lead: SentenceCandidate, next: SentenceCandidate): boolean =>
  lead.source === next.source && overlap(passageOf(lead), spanOf(next));

function findingId(candidate: SentenceCandidate): string {
  const { start, end } = spanOf(candidate);
  return sourceIdOf('find', candidate.source.id, candidate.source.hash, `${start}-${end}`);
}

function toFinding(candidate: SentenceCandidate, theme: string, confidence: Confidence): Finding {
  const { source } = candidate;
  const { start, end } = spanOf(candidate);
  const quote = source.text.slice(start, end);
  return {
    id: findingId(candidate),
    statement: readable(quote),
    quote,
    sourceId: source.id,
    url: source.url,
    hash: source.hash,
    start,
    end,
    theme,
    confidence,
    score: candidate.score,
  };
}

/** The passage of a group's quote, unless another finding begins in it or an earlier one says what it adds. */
function ownPassage({ lead }: Group, groups: Group[], asked: Set<string>): { passage?: string } {
  const { start, end } = passageOf(lead);
  const added = lead.source.text.slice(spanOf(lead).end, end);
  const at = groups.findIndex((other) => other.lead === lead);
  const adds = saidIn(readable(added), lead.reading.language);
  const isRepeated = groups
    .slice(0, at)
    .some((other) => !other.isMinor && isSaid(adds, saidBy(other.lead), asked));
  const isShared = groups.some(
    (other) =>
      other.lead !== lead && other.lead.source === lead.source && overlap({ start, end }, spanOf(other.lead)),
  );
  return added === '' || isShared || isRepeated ? {} : { passage: lead.source.text.slice(start, end) };
}

function confidenceOf(candidate: SentenceCandidate, isSupported: boolean, isDisputed: boolean): Confidence {
  const { quality, textKind } = candidate.source;
  if (isDisputed) return quality === 'low' ? 'low' : 'medium';
  if (isSupported) return 'high';
  if (quality === 'low' || textKind === 'snippet') return 'low';
  return quality === 'high' ? 'high' : 'medium';
}
