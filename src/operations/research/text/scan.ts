import type { Figure } from './figure.ts';
import type { Language } from './language.ts';
import type { Meaning } from './lexicon.ts';

/** One thing that a sentence speaks of. */
export interface Unit {
  /** The word in one spelling; `#open` for a word with a known meaning. */
  key: string;
  meaning?: Meaning;
  /** As it is written, folded. */
  word?: string;
  figure?: Figure;
  isName: boolean;
  /** Words of one noun phrase share a number. */
  phrase: number;
  clause: number;
  /** How the phrase is tied to the sentence: subject or object, after `by`, or after another preposition. */
  role: 'argument' | 'agent' | 'adjunct';
  /** An adjective before its noun. */
  isAttribute?: boolean;
  /** A word that can only be a verb. */
  isVerb?: boolean;
  /** What a Japanese particle says of it. */
  mark?: 'subject' | 'topic' | 'object' | 'to';
  /** Behind `of`: that to which the rest belongs. */
  isOwner?: boolean;
}

/** What was found in a sentence. */
export interface Scanned {
  units: Unit[];
  negations: { clause: number; at: number }[];
  /** The phrase that a relative clause speaks of. */
  relatives: Map<number, number>;
  /** Where `and` stands, by the number of units before it. */
  joints: number[];
}

/** What is known of a sentence while it is read from left to right. */
export interface Scan extends Scanned {
  language: Language;
  text: string;
  clause: number;
  phrase: number;
  role: Unit['role'];
  /** Behind `den`: the next phrase is not the subject. */
  mark?: 'object' | undefined;
  /** Behind `of`: the next word belongs to the phrase before. */
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

/** Whether it says something of the others: a figure, a word with a known meaning. */
export const isPredicate = ({ figure, meaning }: Unit): boolean =>
  figure !== undefined || meaning !== undefined;
