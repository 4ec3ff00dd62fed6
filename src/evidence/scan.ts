import type { Figure } from './figure.ts';
import type { Language } from './language.ts';
import type { Meaning } from './lexicon.ts';

/** A content word or figure of a sentence. */
export interface Unit {
  /** The normalised word; `#open` for a word with a known meaning. */
  key: string;
  meaning?: Meaning;
  /** As written, folded. */
  word?: string;
  figure?: Figure;
  isName: boolean;
  /** Words of one noun phrase share a number. */
  phrase: number;
  clause: number;
  /** The role of the phrase: subject or object, after `by`, or after another preposition. */
  role: 'argument' | 'agent' | 'adjunct';
  /** An adjective before its noun. */
  isAttribute?: boolean;
  /** A word that can only be a verb. */
  isVerb?: boolean;
  /** The role that a Japanese particle gives it. */
  mark?: 'subject' | 'topic' | 'object' | 'to';
  /** After `of`: the owner of the rest. */
  isOwner?: boolean;
}

/** The result of scanning a sentence. */
export interface Scanned {
  units: Unit[];
  negations: { clause: number; at: number }[];
  /** The phrase that a relative clause refers to. */
  relatives: Map<number, number>;
  /** The positions of `and`, as the number of units before it. */
  joints: number[];
}

/** The state while a sentence is scanned from left to right. */
export interface Scan extends Scanned {
  language: Language;
  text: string;
  clause: number;
  phrase: number;
  role: Unit['role'];
  /** After `den`: the next phrase is not the subject. */
  mark?: 'object' | undefined;
  /** After `of`: the next word belongs to the preceding phrase. */
  isLinked: boolean;
}

export const beginScan = (text: string, language: Language): Scan => ({
  units: [],
  negations: [],
  relatives: new Map(),
  joints: [],
  language,
  text,
  clause: 0,
  phrase: 0,
  role: 'argument',
  isLinked: false,
});

export function breakPhrase(scan: Scan, role: Unit['role'] = 'argument'): void {
  scan.phrase += 1;
  scan.role = role;
  scan.isLinked = false;
  scan.mark = undefined;
}

export function add(scan: Scan, unit: Pick<Unit, 'key'> & Partial<Unit>): void {
  const { phrase, clause, role, mark } = scan;
  scan.units.push({ isName: false, phrase, clause, role, ...(mark === undefined ? {} : { mark }), ...unit });
}

/** Whether it is a predicate: a figure, or a word with a known meaning. */
export const isPredicate = ({ figure, meaning }: Unit): boolean =>
  figure !== undefined || meaning !== undefined;
