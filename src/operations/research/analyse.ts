import { LIMITS } from '../../core/limits.ts';
import { candidatesOf, type Candidate } from './candidates.ts';
import { contradiction } from './text/figures.ts';
import { readable } from './text/quote.ts';
import { CHARS_MAX } from './text/sentences.ts';
import { idOf, type Confidence, type Conflict, type Finding, type ResearchState } from './state.ts';
import { overlap } from './text/terms.ts';
import { themesOf } from './themes.ts';

/** Two sentences with so many terms in common speak of the same thing. */
const SAME_TERMS = 0.7;
const SAME_SUBJECT = 0.6;
/** So much of a sentence must be shared where the measured aspect (`long`, `high`) is named as well. */
const SAME_ASPECT_TERMS = 2;
/** A term in more of the sentences than this is the topic of all of them, and tells no two apart. */
const TOPIC_SHARE = 0.35;

/** What answers less is only looked at for contradictions. */
const FINDING_SCORE_MIN = 0.25;

interface Chosen {
  candidate: Candidate;
  /** Sentences of other hosts that say the same. */
  echoes: Candidate[];
}

/**
 * Findings without a model: the sentences that answer the question best, word for word. What another host says as well is kept as support,
 * figures that contradict each other are pointed out, and findings are grouped by the words they share.
 */
export async function analyse(
  state: ResearchState,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; conflicts: Conflict[] }> {
  const candidates = await candidatesOf(state, signal);
  const pairs = contradictionsIn(candidates);
  const chosen = choose(candidates);
  const shown = chosen.flatMap(({ candidate, echoes }) => [candidate, ...echoes]);
  for (const { a, b } of pairs) {
    for (const side of [a, b]) {
      if (shown.includes(side)) continue;
      shown.push(side);
      chosen.push({ candidate: side, echoes: [] });
    }
  }
  const disputed = new Set(pairs.flatMap(({ a, b }) => [a, b]));
  const themes = themesOf(
    chosen.map(({ candidate }) => candidate),
    state.query,
  );
  const findings = chosen.flatMap(({ candidate, echoes }, at) => {
    const theme = themes[at] ?? '';
    const confidence = confidenceOf(candidate, echoes, disputed.has(candidate));
    const main = toFinding(candidate, theme, confidence);
    return [main, ...echoes.map((echo) => ({ ...toFinding(echo, theme, confidence), echoOf: main.id }))];
  });
  const conflicts = pairs.map(({ a, b, kind, values }): Conflict => ({
    kind,
    findingIds: [findingId(a), findingId(b)],
    values,
  }));
  return { findings, conflicts };
}

function choose(candidates: Candidate[]): Chosen[] {
  const chosen: Chosen[] = [];
  const perSource = new Map<string, number>();
  for (const candidate of candidates) {
    const same = chosen.find((one) => saysTheSame(one.candidate, candidate));
    if (same !== undefined) {
      const hosts = [same.candidate, ...same.echoes].map(({ host }) => host);
      if (!hosts.includes(candidate.host)) same.echoes.push(candidate);
      continue;
    }
    const isWeak = candidate.score < FINDING_SCORE_MIN;
    if (isWeak || chosen.some((one) => overlaps(one.candidate, candidate))) continue;
    const count = perSource.get(candidate.source.id) ?? 0;
    const isFull = chosen.length >= LIMITS.researchFindingsMax / 2;
    if (isFull || count >= LIMITS.researchFindingsPerSourceMax) continue;
    perSource.set(candidate.source.id, count + 1);
    chosen.push({ candidate, echoes: [] });
  }
  return chosen;
}

function saysTheSame(a: Candidate, b: Candidate): boolean {
  const [less, more] = [a.terms.size, b.terms.size].sort((x, y) => x - y);
  if ((less ?? 0) * 2 < (more ?? 0)) return false;
  const figures = (one: Candidate): string =>
    one.figures
      .map(({ value }) => value)
      .sort((x, y) => x - y)
      .join(' ');
  return overlap(a.terms, b.terms) >= SAME_TERMS && figures(a) === figures(b);
}

interface Pair {
  a: Candidate;
  b: Candidate;
  kind: Conflict['kind'];
  values: [string, string];
}

/** Pairs of sources that say different figures of one subject; each sentence is used once. */
function contradictionsIn(candidates: Candidate[]): Pair[] {
  const pairs: Pair[] = [];
  const used = new Set<Candidate>();
  const topic = topicOf(candidates);
  const withFigures = candidates.filter(({ figureIndex }) => figureIndex.size > 0);
  for (const [at, a] of withFigures.entries()) {
    for (const b of withFigures.slice(at + 1)) {
      if (used.has(a) || used.has(b) || a.source.id === b.source.id) continue;
      const pair = contradict(a, b, topic);
      if (pair === undefined) continue;
      used.add(a).add(b);
      pairs.push(pair);
    }
  }
  return pairs;
}

function topicOf(candidates: Candidate[]): Set<string> {
  const counts = new Map<string, number>();
  for (const { terms } of candidates) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const most = candidates.length * TOPIC_SHARE;
  return new Set([...counts].filter(([, count]) => count > 2 && count > most).map(([term]) => term));
}

function contradict(a: Candidate, b: Candidate, topic: Set<string>): Pair | undefined {
  const found = contradiction(a.figureIndex, b.figureIndex);
  if (found === undefined) return undefined;
  const own = (terms: Set<string>): Set<string> => new Set([...terms].filter((term) => !topic.has(term)));
  const shared = [...a.subject].filter((term) => b.subject.has(term)).length;
  const isSameAspect = found[0].aspect !== undefined && shared >= SAME_ASPECT_TERMS;
  const isSameSubject = shared > 1 && overlap(own(a.terms), own(b.terms)) >= SAME_SUBJECT;
  if (!isSameAspect && !isSameSubject) return undefined;
  return { a, b, kind: found[0].kind, values: [found[0].text, found[1].text] };
}

/** The stretch that is quoted: a sentence that begins with `it` is quoted with the one that says what `it` is. */
function stretchOf({ start, end, contextStart = start }: Candidate): { start: number; end: number } {
  return end - contextStart <= CHARS_MAX ? { start: contextStart, end } : { start, end };
}

function overlaps(a: Candidate, b: Candidate): boolean {
  const [one, other] = [stretchOf(a), stretchOf(b)];
  return a.source.id === b.source.id && one.start < other.end && other.start < one.end;
}

function findingId(candidate: Candidate): string {
  const { start, end } = stretchOf(candidate);
  return idOf('find', candidate.source.id, candidate.source.hash, `${start}-${end}`);
}

function toFinding(candidate: Candidate, theme: string, confidence: Confidence): Finding {
  const { source } = candidate;
  const { start, end } = stretchOf(candidate);
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

function confidenceOf(candidate: Candidate, echoes: Candidate[], isDisputed: boolean): Confidence {
  const { quality, textKind } = candidate.source;
  if (isDisputed) return quality === 'low' ? 'low' : 'medium';
  if (echoes.length > 0) return 'high';
  if (quality === 'low' || textKind === 'snippet') return 'low';
  return quality === 'high' ? 'high' : 'medium';
}
