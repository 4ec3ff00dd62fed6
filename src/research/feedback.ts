import { hostOf } from '../core/url.ts';
import { rarityOf } from '../rank/cover.ts';
import { chanceOf, WEIGHTS } from './merit.ts';
import type { ResearchSource } from './state.ts';

interface Weighed {
  source: ResearchSource;
  /** The heading above it. */
  heading: string;
  /** Its content terms. */
  terms: ReadonlySet<string>;
  /** Its log odds by itself. */
  merit: number;
}

/** A sentence that is less likely to belong in a report says nothing about others. */
const LIKELY = 0.3;
/** So many sites tell enough: what more of them add would count more than all else where there are many sources. */
const SITES_MAX = 4;
/** The chance of most sentences, which a section of a single one has. */
const USUAL = 0.2;

/**
 * What likely sentences say for others, as log odds (pseudo-relevance feedback): what other sites tell in part, and what
 * stands under one heading with them, belongs in a report, too.
 */
export function feedbackOf(sentences: Weighed[], asked: ReadonlySet<string>): number[] {
  const all = sentences.map(({ source, heading, terms, merit }) => {
    const own = [...terms].filter((term) => !asked.has(term));
    const weight = own.reduce((sum, term) => sum + rarityOf(term) ** 2, 1);
    return {
      host: hostOf(source.url),
      section: `${source.id}\n${heading}`,
      own,
      weight,
      chance: chanceOf(merit),
    };
  });
  const likelyWith = new Map<string, number[]>();
  const sections = new Map<string, { sum: number; count: number }>();
  for (const [at, { section, own, chance }] of all.entries()) {
    const { sum = 0, count = 0 } = sections.get(section) ?? {};
    sections.set(section, { sum: sum + chance, count: count + 1 });
    if (chance < LIKELY) continue;
    for (const term of own) {
      const known = likelyWith.get(term) ?? [];
      known.push(at);
      likelyWith.set(term, known);
    }
  }
  return all.map(({ host, section, own, weight, chance }) => {
    const shared = new Map<number, number>();
    for (const term of own) {
      const common = rarityOf(term) ** 2;
      for (const at of likelyWith.get(term) ?? []) shared.set(at, (shared.get(at) ?? 0) + common);
    }
    const told = new Map<string, number>();
    for (const [at, common] of shared) {
      const other = all[at] as (typeof all)[number];
      const alike = (other.chance * common) / Math.sqrt(weight * other.weight);
      if (other.host !== host) told.set(other.host, Math.max(told.get(other.host) ?? 0, alike));
    }
    const { sum = 0, count = 0 } = sections.get(section) ?? {};
    const others = count > 1 ? (sum - chance) / (count - 1) : USUAL;
    const most = [...told.values()].sort((a, b) => b - a).slice(0, SITES_MAX);
    return (
      WEIGHTS.told * most.reduce((total, alike) => total + alike, 0) + WEIGHTS.section * (others - USUAL)
    );
  });
}
