import type { HeadgateError } from './errors.ts';
import type { OwnText } from './text.ts';

/** Who sets rules, from the top down. A lower level can only narrow what a higher one allows. */
export const POLICY_LEVELS = ['operator', 'workspace', 'agent', 'call'] as const;
export type PolicyLevel = (typeof POLICY_LEVELS)[number];

/** The rules of one level. What is absent or empty restricts nothing. */
export interface Policy {
  /** `report` only tells what the rules of this level would refuse. */
  mode?: 'enforce' | 'report';
  /** The only domains that may be read. */
  allow?: readonly string[];
  /** Domains that are never read, and whose results are left out. */
  deny?: readonly string[];
  /** The only operations that may be called. */
  operations?: readonly string[];
  /** The only providers that may get a query. */
  providers?: readonly string[];
  /** Which addresses a caller may choose: any, or those that it was shown, within the leak budget. */
  fetch?: 'any' | 'admitted' | 'strict';
  /** Domains whose addresses a caller may choose freely. */
  admit?: readonly string[];
  /** What the choice of addresses may tell within a day: one registrable domain, and all of them. */
  leak_bits_per_domain?: number | undefined;
  leak_bits?: number | undefined;
}

/** What is about to leave, or to be handed over. */
export type Intent =
  | { kind: 'operation'; operation: string }
  | { kind: 'provider'; provider: string }
  /** An address that is fetched, a result that is handed over, a receiver of events. */
  | { kind: 'fetch' | 'result' | 'webhook'; url: URL };

/** What the rules say about an intent. */
export interface Decision {
  verdict: 'allow' | 'deny';
  /** The level and the rule that decided; absent when no rule applied. */
  level?: PolicyLevel;
  rule?: string;
  reason?: OwnText;
  /** The rule only reports: it would have refused this. */
  isReported?: boolean;
}

/** The rules for one caller. Everything that leaves on behalf of a call passes here first. */
export interface Gate {
  /** Equal for equal rules; part of the key of whatever is shared between callers. */
  id: string;
  /** Throws unless the intent is allowed. */
  check(intent: Intent): void;
  /** Whether a rule refuses this, for what is left out instead of refused. */
  allows(intent: Intent): boolean;
  /** Set where a caller may only choose addresses that it was shown. */
  admission?: Admission;
}

/** What was decided about the addresses that a caller chose. */
export interface Admission {
  /** Those that are not read, as they were given, and why. */
  refused: ReadonlyMap<string, HeadgateError>;
  /** Takes a whole page, of which the caller is about to see a part. */
  show(page: { url: string; content: string }): void;
  /** Notes the addresses in an answer and the pages that it is about, before the caller gets it. */
  note(output: unknown): Promise<void>;
}
