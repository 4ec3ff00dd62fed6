import type { SimulatedPage } from '../providers/provider.ts';

/**
 * A number derived from a text, the same in every run (FNV-1a, 32 bits): the simulator's only source of
 * variety.
 */
export function numberFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

const HOSTS = [
  'docs.example.org',
  'www.example.com',
  'blog.example.net',
  'wiki.example.org',
  'news.example.com',
];
const KINDS = ['Guide', 'Reference', 'Overview', 'History', 'Questions', 'Comparison'];

/**
 * The pages of the simulated web about a query: always the same ones in the same order, with distinct URLs.
 */
export function pagesAbout(query: string, count: number): SimulatedPage[] {
  const topic = query.replace(/\s+/g, ' ').trim().slice(0, 80);
  const slug = encodeURIComponent(topic.toLowerCase().replaceAll(' ', '-'));
  const first = numberFrom(topic);
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const kind = KINDS[(first + index) % KINDS.length];
    const page: SimulatedPage = {
      url: `https://${HOSTS[(first + index) % HOSTS.length]}/${slug}/${number}`,
      title: `${topic}: ${kind} ${number}`,
      snippet: `${kind} ${number} about ${topic}, with examples and sources.`,
    };
    const day = String(((first + index * 7) % 28) + 1).padStart(2, '0');
    return index % 3 === 0 ? { ...page, date: `2026-01-${day}T00:00:00Z` } : page;
  });
}

/** Queries for which the simulated web has no results. */
export const hasNothing = (query: string): boolean => /noresult/i.test(query);
