import type { Policy, PolicyLevel } from '../core/gate.ts';
import { createDomainSet, type DomainSet } from './domains.ts';

/** Bits are counted in thousandths, so that a sum is exact. */
export const MILLIBITS = 1_000;

/** What some levels demand together. */
export interface LeakDemand {
  /** The highest level that demands it. */
  level: PolicyLevel;
  /** Domains whose addresses may be chosen freely: the lists of this level and of those above it. */
  free: DomainSet;
  /** People answer in the console or on the command line only. */
  isConsoleOnly: boolean;
  /** In thousandths of a bit. */
  perDomain: number;
  total: number;
}

/** Which addresses a caller may choose. */
export interface LeakRules {
  /** What is enforced; absent when every level that demands something only reports. */
  enforced?: LeakDemand;
  /** What all levels demand, with those that only report. */
  all: LeakDemand;
}

const BUDGETS = { admitted: { perDomain: 64, total: 192 }, strict: { perDomain: 24, total: 48 } } as const;

type Levels = readonly { level: PolicyLevel; policy: Policy }[];

/** The demands of policies; undefined when any address may be chosen. */
export function leakRulesOf(policies: Levels): LeakRules | undefined {
  const all = demandOf(policies);
  if (all === undefined) return undefined;
  const enforced = demandOf(policies.filter(({ policy }) => policy.mode !== 'report'));
  return { all, ...(enforced === undefined ? {} : { enforced }) };
}

function demandOf(policies: Levels): LeakDemand | undefined {
  const first = policies.findIndex(({ policy }) => budgetOf(policy) !== undefined);
  const level = policies[first]?.level;
  if (level === undefined) return undefined;
  // A level below cannot widen this demand with a list of its own, and what a call lists is the agent's own word.
  const lists = policies.slice(0, first + 1).filter((one) => one.level !== 'call');
  const smallest = (name: 'perDomain' | 'total', field: 'leak_bits_per_domain' | 'leak_bits'): number =>
    MILLIBITS *
    Math.min(...policies.flatMap(({ policy }) => policy[field] ?? budgetOf(policy)?.[name] ?? []));
  return {
    level,
    free: createDomainSet(lists.flatMap(({ policy }) => policy.admit ?? [])),
    isConsoleOnly: policies.some(({ policy }) => policy.approvals === 'console'),
    perDomain: smallest('perDomain', 'leak_bits_per_domain'),
    total: smallest('total', 'leak_bits'),
  };
}

const budgetOf = ({ fetch = 'any' }: Policy) => (fetch === 'any' ? undefined : BUDGETS[fetch]);

/**
 * What the choice of one of `size` addresses tells, where `count` lists of addresses were shown and this one was
 * used or shown as the `rank`-th latest. The weights 1/rank add up to the harmonic number, so these are the lengths
 * of a prefix code over everything that could have been chosen: n thousandths of a bit tell at most n thousandths.
 */
export function choiceCost({ size, rank, count }: { size: number; rank: number; count: number }): number {
  let harmonic = 0;
  for (let one = 1; one <= count; one += 1) harmonic += 1 / one;
  return Math.ceil(MILLIBITS * Math.log2(size * rank * harmonic) - 1e-6);
}

/** Parameters of a crawl that decide which pages are fetched. */
const STEERING = [
  'max_depth',
  'max_breadth',
  'limit',
  'select_paths',
  'select_domains',
  'exclude_paths',
  'exclude_domains',
  'allow_external',
  'instructions',
];

/** What the parameters of a crawl tell, besides its start: their length, where they are not the usual ones. */
export function steeringCost(input: Record<string, unknown>, usual: Record<string, unknown>): number {
  const bits = STEERING.map((name) => {
    const value = input[name];
    const text = JSON.stringify(value ?? null);
    if (text === JSON.stringify(usual[name] ?? null) || text === '[]') return 0;
    // Elias gamma, after one bit for not being usual.
    if (typeof value === 'number') return 2 + 2 * Math.floor(Math.log2(Math.max(1, value)));
    return typeof value === 'boolean' ? 1 : 8 * Buffer.byteLength(text);
  });
  return MILLIBITS * bits.reduce((sum, one) => sum + one, 0);
}

/** Second levels under which countries register names. */
const REGISTRIES = new Set('ac co com edu gob gov go gv ltd mil ne net nom or org plc sch'.split(' '));

/**
 * The registrable domain of an address, without a list of all registries: below one that is not known here, sites
 * share a domain, and so a budget, which is the safe side. A private name that looks like a registry has several
 * domains; then the budget for all of them holds.
 */
export function registrableDomain({ hostname }: URL): string {
  const host = hostname.replace(/\.$/, '');
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return host;
  const labels = host.split('.');
  const isBelowRegistry = labels.at(-1)?.length === 2 && REGISTRIES.has(labels.at(-2) ?? '');
  return labels.slice(isBelowRegistry ? -3 : -2).join('.');
}

/** The address as it is compared: exactly what would be sent. */
export function chosenAddress(text: string): URL | undefined {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.parse(written);
  return url === null || !/^https?:$/.test(url.protocol) ? undefined : url;
}

const ADDRESS = /https?:\/\/[^\s<>"`\\^{|}\u0000-\u001f]+/gi;

/** The addresses in a text, each once, and without its fragment as well. At most `max`. */
export function addressesIn(text: string, max: number): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(ADDRESS)) {
    const url = URL.parse(withoutTail(match));
    if (url !== null) addWithoutFragment(url, found);
    if (found.size >= max) break;
  }
  return [...found].slice(0, max);
}

/** Adds an address, and the same without its fragment, which callers leave out. */
export function addWithoutFragment(url: URL, to: Set<string>): void {
  to.add(url.href);
  if (url.hash === '') return;
  const page = new URL(url);
  page.hash = '';
  to.add(page.href);
}

/** Cuts what belongs to the sentence or to Markdown: closing punctuation, and a bracket that was not opened. */
function withoutTail(text: string): string {
  let end = text.length;
  let depth = 0;
  for (let at = 0; at < end; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && --depth < 0) end = at;
    if (text[at] === ']') end = at;
  }
  return text.slice(0, end).replace(/[.,;:!?'*_~]+$/, '');
}
