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
  /** Where a person may approve an address: at the client, too, or only in the console and on the command line. */
  approvals?: 'client' | 'console' | undefined;
  /** How many pages a caller may read within a day. */
  max_pages?: number | undefined;
  /** How many links a page may be away from where a crawl, or the caller's choice of links, began. */
  max_depth?: number | undefined;
  /** What happens to keys and tokens in queries, addresses and instructions; `report` unless set. */
  secrets?: SecretsMode;
  /** Texts that never leave. */
  canaries?: readonly string[];
  /** Where robots.txt counts: `walk` for crawls and maps, `all` for every page, `off` nowhere. */
  robots?: RobotsMode | undefined;
  /** What a site's wish not to be read by models does: it is on the result, or the page is refused. */
  signals?: SignalsMode;
  /** What text that readers cannot see does, which is always left out: nothing more, a mark, or a refusal. */
  hidden?: HiddenMode;
}

/** Each from the mildest to the strictest. */
export const ROBOTS_MODES = ['off', 'walk', 'all'] as const;
export type RobotsMode = (typeof ROBOTS_MODES)[number];
export const SIGNALS_MODES = ['report', 'refuse'] as const;
export type SignalsMode = (typeof SIGNALS_MODES)[number];
export const HIDDEN_MODES = ['strip', 'flag', 'refuse'] as const;
export type HiddenMode = (typeof HIDDEN_MODES)[number];

/** A mode, and the level that sets it. */
export interface Ruled<Mode> {
  value: Mode;
  level: PolicyLevel;
}

/** What applies to pages that are read. */
export interface ReadingRules {
  robots?: Ruled<RobotsMode>;
  signals?: Ruled<SignalsMode>;
  hidden?: Ruled<HiddenMode>;
  /** What levels that only report demand; absent where that is nothing. */
  reported?: Omit<ReadingRules, 'reported'>;
}

/** A policy as it may be shown: canaries are only counted. */
export const shownPolicy = ({ canaries = [], ...policy }: Policy): Policy =>
  canaries.length === 0 ? policy : { ...policy, canaries: [`[${canaries.length} set]`] };

/** From the mildest to the strictest. */
export const SECRETS_MODES = ['report', 'redact', 'block'] as const;
export type SecretsMode = (typeof SECRETS_MODES)[number];

/** What applies to secrets in what leaves: the strictest mode of all levels, and the canaries of each. */
export interface SecretRules {
  mode: SecretsMode;
  level: PolicyLevel;
  /** The level whose canary is in one of the texts. */
  canaryIn(texts: readonly string[]): PolicyLevel | undefined;
}

/** What is about to leave, or to be handed over. */
export type Intent =
  | { kind: 'operation'; operation: string }
  | { kind: 'provider'; provider: string }
  /** How many pages the caller has read within a day, with those that it is about to read. */
  | { kind: 'pages'; count: number }
  /** How many links away the pages are. */
  | { kind: 'links'; depth: number }
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
  /** A secret was taken out, and the rest was let through. */
  isRedacted?: boolean;
}

/** The rules for one caller. Everything that leaves on behalf of a call passes here first. */
export interface Gate {
  /** Equal for equal rules; part of the key of whatever is shared between callers. */
  id: string;
  /** Throws unless the intent is allowed. */
  check(intent: Intent): void;
  /** Whether a rule refuses this, for what is left out instead of refused. */
  allows(intent: Intent): boolean;
  /** What applies to secrets; absent where the rules say nothing about them. */
  secrets?: SecretRules;
  /** What applies to pages that are read; absent where nothing is set. */
  reading?: ReadingRules;
  /** Counts pages that are about to be read, and throws when there are too many; absent where any number may be read. */
  count?(pages: number): Promise<void>;
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
