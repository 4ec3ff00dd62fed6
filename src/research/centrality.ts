import { hostOf } from '../core/url.ts';
import { rarityOf } from '../rank/cover.ts';
import type { ResearchSource } from './state.ts';

/** How central each page is among the pages: what it has in common with other sites beyond the words of the question. */
export interface Centrality {
  /** 1 for the most central pages. */
  of(source: ResearchSource): number;
  /** How far pages tell of one thing, 0–1. */
  trusted: number;
  /** How far that can be relied on, 0–1: less where pages share little, and for a page of a few words. */
  trust(source: ResearchSource): number;
}

/** The names and figures that a page must share with others until what pages share can be relied on. */
const SHARED_ENOUGH = 10;
/** A page with telling terms of this weight is long enough to be judged by them. */
const TERMS_ENOUGH = 30;
/** Pages are measured by what this many of them share, so that a long one does not put all others in the shade. */
const BEST = 2;
/** Makes rare terms count most: names and figures. */
const RARITY_POWER = 4;

/**
 * Pages that tell of one thing share its names and figures. One on a namesake, or on the subject in general, shares
 * the words of the question alone, however many of them it has.
 */
export function centralityOf(termsIn: ReadonlyMap<ResearchSource, Set<string>>): Centrality {
  const sites = new Map<string, Set<string>>();
  for (const [{ url }, terms] of termsIn) {
    const site = hostOf(url);
    for (const term of terms) sites.set(term, (sites.get(term) ?? new Set()).add(site));
  }
  const pages = new Map<ResearchSource, { value: number; size: number }>();
  let mostShared = 0;
  for (const [source, terms] of termsIn) {
    let shared = 0;
    let size = 0;
    for (const term of terms) {
      const rarity = rarityOf(term);
      size += rarity;
      if ((sites.get(term)?.size ?? 0) > 1) shared += rarity ** RARITY_POWER;
    }
    // A long page shares more by chance.
    const value = shared / Math.sqrt(size + 1);
    pages.set(source, { value, size });
    mostShared = Math.max(mostShared, shared);
  }
  const best = [...pages.values()]
    .map(({ value }) => value)
    .sort((a, b) => b - a)
    .slice(0, BEST);
  const most = best.reduce((sum, value) => sum + value, 0) / Math.max(1, best.length);
  const trust = Math.min(1, mostShared / SHARED_ENOUGH);
  return {
    trusted: trust,
    of: (source) => (most === 0 ? 0 : Math.min(1, (pages.get(source)?.value ?? 0) / most)),
    trust: (source) => trust * Math.min(1, (pages.get(source)?.size ?? 0) / TERMS_ENOUGH),
  };
}
