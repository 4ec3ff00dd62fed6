import type { OwnText } from '../../core/text.ts';
import { createHash } from 'node:crypto';
import type { ResearchInput } from '../../contract/research.ts';
import type { Outcome } from '../../core/outcome.ts';

/** One question that is put to the search providers. */
export interface SubQuery {
  id: string;
  query: string;
  /** Which side of the question it is about; headings of a report come from here. */
  facet: string;
  iteration: number;
  /** The gap that it shall close, when it is a follow-up. */
  gapId?: string;
}

export const QUALITIES = ['high', 'medium', 'low'] as const;
export type Quality = (typeof QUALITIES)[number];

/** A page that was found. `text` is frozen when it is first analysed: hash and offsets of findings refer to it. */
export interface ResearchSource {
  id: string;
  url: string;
  title: string;
  text: string;
  /** Whether the text is the page's own content, or only what a search engine says about it. */
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

/** Something that a source says, with the place where it stands. */
export interface Finding {
  id: string;
  /** In our words, when a model wrote it; otherwise the quote. */
  statement: string;
  quote: string;
  sourceId: string;
  url: string;
  hash: string;
  start: number;
  end: number;
  theme: string;
  confidence: Confidence;
  /** The finding that says the same, when another host said it before. */
  echoOf?: string;
  /** Whether its page is a copy of one that says it too; it supports nothing then. */
  isCopy?: boolean;
  /** 0–1, how well it answers the question. */
  score: number;
}

/** Statements about one thing that cannot all be true, each with the findings that make it. */
export interface Conflict {
  kind: 'number' | 'date' | 'name' | 'polarity';
  sides: {
    /** The figure, year or name that differs; empty where one affirms what the other denies. */
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

/** Searches that another provider answered than the one that was asked first. */
export interface Fallback {
  provider: string;
  outcome: Outcome;
  answeredBy: string;
  searches: number;
}

/** A step that did not work out. */
export interface FailedStep {
  step: 'search' | 'extract' | 'model';
  about: string;
  code: string;
  message: OwnText;
}

/** Why a run ended before everything was done. */
export type StopReason = 'deadline' | 'credits' | 'provider' | 'nothing_new';

/** A sentence of a model's summary, with the findings that carry it. */
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
  /** What a model said without a place in a source; removed, and reported. */
  removed: { claims: number; citations: number };
  /** Whether a model chose and worded the findings. */
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

/** Ids follow from what they name, so that a run that is repeated gives the same ones. */
export const idOf = (prefix: 'src' | 'find' | 'gap' | 'subq', ...parts: string[]): string =>
  `${prefix}-${sha256(parts.join('\n')).slice(0, 8)}`;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
