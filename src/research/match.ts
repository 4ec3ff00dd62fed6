import type { Match } from '../core/outcome.ts';
import { createCover } from '../rank/cover.ts';
import type { Finding, ResearchSource } from './state.ts';

/** How many findings may answer a question together. */
const TOGETHER = 3;

/** Whether findings answer the question, match it in part, or are unrelated. */
export function matchOfFindings(question: string, findings: Finding[], sources: ResearchSource[]): Match {
  if (findings.length === 0) return 'none';
  const cover = createCover(question);
  const titles = new Map(sources.map(({ id, title }) => [id, title]));
  const texts = findings
    .map(({ sourceId, statement, quote }) => `${titles.get(sourceId) ?? ''}\n${statement}\n${quote}`)
    .toSorted((a, b) => cover.of(b) - cover.of(a));
  return cover.matchOf(cover.of(...texts.slice(0, TOGETHER)));
}
