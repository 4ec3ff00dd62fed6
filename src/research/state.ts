import type { OwnText } from '../core/text.ts';
import { createHash } from 'node:crypto';
import type { ResearchInput } from '../contract/research.ts';
import type { Outcome } from '../core/outcome.ts';

/** A query for the search providers. */
export interface SubQuery {
  id: string;
  query: string;
  /** The aspect of the question; used for report headings. */
  facet: string;
  iteration: number;
  /** The gap that a follow-up should close. */
  gapId?: string;
}

export const QUALITIES = ['high', 'medium', 'low'] as const;
export type Quality = (typeof QUALITIES)[number];

/** A page that was found. `text` is frozen at the first analysis: findings refer to its offsets. */
export interface ResearchSource {
  id: string;
  url: string;
  title: string;
  text: string;
  /** Whether the text is the page's content or only a search snippet. */
  textKind: 'content' | 'snippet';
  isTruncated: boolean;
  hash: string;
  quality: Quality;
  score: number;
  provider: string;
  subQueryId: string;
  iteration: number;
  publishedDate?: string;
  favicon?: string;
}

export type Confidence = 'low' | 'medium' | 'high';

/** A statement of a source, with its position. */
export interface Finding {
  id: string;
  /** Written by a model, or the quote itself. */
  statement: string;
  quote: string;
  /** The quote with the sentence after it, which is what is printed where the finding stands alone. */
  passage?: string;
  sourceId: string;
  url: string;
  hash: string;
  start: number;
  end: number;
  theme: string;
  confidence: Confidence;
  /** The earlier finding from another host that says the same. */
  echoOf?: string;
  /** Whether it says no more than an earlier finding, or answers less: printed only as what several sites say or dispute. */
  isMinor?: boolean;
  /** A finding of another site that gives the same figure in other words, and the figure as that one writes it. */
  sameFigure?: { of: string; kind: 'number' | 'date'; figure: string };
  /** Whether its page is a copy of another source, so that it adds no support. */
  isCopy?: boolean;
  /** How well it answers the question, about 1 for the best. */
  score: number;
}

/** Statements that cannot all be true, each with its findings. */
export interface Conflict {
  kind: 'number' | 'date' | 'name' | 'polarity';
  sides: {
    /** The differing figure, year or name; empty for a contradiction by negation. */
    value: string;
    findingIds: string[];
  }[];
}

export interface Gap {
  id: string;
  description: string;
  queries: string[];
  priority: number;
  isResolved: boolean;
}

/** Searches answered by another provider than the first one. */
export interface Fallback {
  provider: string;
  outcome: Outcome;
  answeredBy: string;
  searches: number;
}

/** A failed step. */
export interface FailedStep {
  step: 'search' | 'extract' | 'model';
  about: string;
  code: string;
  message: OwnText;
}

/** Why a run stopped early. */
export type StopReason = 'deadline' | 'credits' | 'provider' | 'nothing_new';

/** A sentence of a model's summary and the findings that support it. */
export interface Statement {
  text: string;
  findingIds: string[];
}

export interface ResearchState {
  query: string;
  brief: string;
  subQueries: SubQuery[];
  sources: ResearchSource[];
  findings: Finding[];
  conflicts: Conflict[];
  gaps: Gap[];
  failed: FailedStep[];
  fallbacks: Fallback[];
  warnings: OwnText[];
  /** Model statements without a source, which were removed. */
  removed: { claims: number; citations: number };
  /** Whether a model chose and wrote the findings. */
  isWorded: boolean;
  summary: Statement[];
  conclusions: Statement[];
  iteration: number;
  stop?: StopReason;
}

export const createState = (input: Pick<ResearchInput, 'query'>): ResearchState => ({
  query: input.query,
  brief: '',
  subQueries: [],
  sources: [],
  findings: [],
  conflicts: [],
  gaps: [],
  failed: [],
  fallbacks: [],
  warnings: [],
  removed: { claims: 0, citations: 0 },
  isWorded: false,
  summary: [],
  conclusions: [],
  iteration: 1,
});

/** IDs are derived from content, so that a replayed run gives the same ones. */
export const sourceIdOf = (prefix: 'src' | 'find' | 'gap' | 'subq', ...parts: string[]): string =>
  `${prefix}-${sha256(parts.join('\n')).slice(0, 8)}`;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
