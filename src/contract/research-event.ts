import type { OwnText, Voiced } from '../core/text.ts';
import type { ResearchPhase } from './research.ts';
import type { ResearchSession } from './types.ts';

/** A source as an event names it. */
export interface EventSource {
  title: string;
  url: string;
  favicon?: string;
}

/** An event before it is numbered. */
export type NewResearchEvent =
  | { type: 'phase'; phase: ResearchPhase; iteration: number }
  | { type: 'plan'; iteration: number; queries: string[] }
  | { type: 'search'; query: string; outcome: string; sources: EventSource[] }
  | { type: 'extract'; asked: number; read: number }
  | {
      type: 'findings';
      findings: number;
      conflicts: number;
      gaps: number;
      /** The latest of them, in the words of their sources. */
      latest: { quote: string; url: string }[];
    }
  | { type: 'warning'; message: OwnText }
  | { type: 'done'; session: Voiced<ResearchSession> };

/** Something that happened in a session; `sequence` counts up from 1. */
export type ResearchEvent = NewResearchEvent & { sequence: number };
