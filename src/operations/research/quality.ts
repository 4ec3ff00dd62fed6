import { hostOf } from '../../core/url.ts';
import type { ResearchMode } from './parameters.ts';
import type { Quality } from './state.ts';

/** Hosts by how far they are worth quoting; `*.edu` is every host that ends so, `docs.*` every host that begins so. */
const HIGH: Record<ResearchMode, string[]> = {
  general: [
    '*.gov',
    '*.gov.*',
    '*.edu',
    '*.int',
    'europa.eu',
    'who.int',
    'wikipedia.org',
    'britannica.com',
    'reuters.com',
    'apnews.com',
    'bbc.co.uk',
    'bbc.com',
    'nature.com',
    'science.org',
  ],
  academic: [
    '*.edu',
    '*.ac.*',
    '*.gov',
    'arxiv.org',
    'doi.org',
    'nature.com',
    'science.org',
    'sciencedirect.com',
    'springer.com',
    'wiley.com',
    'plos.org',
    'pnas.org',
    'nih.gov',
    'ieee.org',
    'acm.org',
    'jstor.org',
    'semanticscholar.org',
    'openalex.org',
    'cambridge.org',
    'oup.com',
  ],
  technical: [
    'docs.*',
    'developer.*',
    'developers.*',
    '*.readthedocs.io',
    'github.com',
    'ietf.org',
    'rfc-editor.org',
    'w3.org',
    'whatwg.org',
    'python.org',
    'nodejs.org',
    'kernel.org',
    'postgresql.org',
    'sqlite.org',
    'mozilla.org',
    'stackoverflow.com',
  ],
};

const LOW: string[] = [
  'pinterest.*',
  'quora.com',
  'facebook.com',
  'instagram.com',
  'tiktok.com',
  'x.com',
  'twitter.com',
  'ehow.com',
  'answers.com',
  '*.blogspot.com',
  'slideshare.net',
  'coursehero.com',
];

/** Opinions that are fine for a general question carry no weight in an academic one. */
const LOW_ACADEMIC = ['medium.com', 'reddit.com', '*.substack.com', '*.wordpress.com'];

/** How far a page's host is worth quoting in this kind of research. */
export function qualityOf(url: string, mode: ResearchMode): Quality {
  const host = hostOf(url);
  if (HIGH[mode].some((pattern) => matches(host, pattern))) return 'high';
  const low = mode === 'academic' ? [...LOW, ...LOW_ACADEMIC] : LOW;
  return low.some((pattern) => matches(host, pattern)) ? 'low' : 'medium';
}

function matches(host: string, pattern: string): boolean {
  const labels = pattern.split('.');
  const open = { start: labels[0] === '*', end: labels.at(-1) === '*' };
  const core = labels.slice(open.start ? 1 : 0, open.end ? -1 : undefined).join('.');
  if (open.start && open.end) return host.includes(`.${core}.`);
  if (open.start) return host.endsWith(`.${core}`);
  if (open.end) return host.startsWith(`${core}.`);
  return host === core || host.endsWith(`.${core}`);
}
