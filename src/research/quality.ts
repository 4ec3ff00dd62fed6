import { hostOf } from '../core/url.ts';
import type { ResearchMode } from './parameters.ts';
import type { Quality } from './state.ts';

/** Government domains. */
const GOVERNMENTS = [
  '*.gov',
  '*.gov.*',
  '*.go.id',
  '*.go.jp',
  '*.go.ke',
  '*.go.kr',
  '*.go.th',
  '*.gob.*',
  '*.gouv.*',
  '*.govt.nz',
  '*.lg.jp',
  'admin.ch',
  'bund.de',
  'canada.ca',
  'europa.eu',
  'gc.ca',
];

/**
 * Hosts by quality: `*.edu` matches a suffix, `docs.*` a prefix, and `*.gov.*` the domain `gov` of any
 * country.
 */
const HIGH: Record<ResearchMode, string[]> = {
  general: [
    ...GOVERNMENTS,
    '*.edu',
    '*.int',
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
    ...GOVERNMENTS,
    'arxiv.org',
    'doi.org',
    'nature.com',
    'science.org',
    'sciencedirect.com',
    'springer.com',
    'wiley.com',
    'plos.org',
    'pnas.org',
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

/** Opinion sites, acceptable for general questions but not for academic ones. */
const LOW_ACADEMIC = ['medium.com', 'reddit.com', '*.substack.com', '*.wordpress.com'];

/** The quality of a page's host for this research mode. */
export function qualityOf(url: string, mode: ResearchMode): Quality {
  const host = hostOf(url);
  if (HIGH[mode].some((pattern) => matches(host, pattern))) return 'high';
  const low = mode === 'academic' ? [...LOW, ...LOW_ACADEMIC] : LOW;
  return low.some((pattern) => matches(host, pattern)) ? 'low' : 'medium';
}

const COUNTRY = /\.[a-z]{2}$/;

function matches(host: string, pattern: string): boolean {
  const labels = pattern.split('.');
  const open = { start: labels[0] === '*', end: labels.at(-1) === '*' };
  const core = labels.slice(open.start ? 1 : 0, open.end ? -1 : undefined).join('.');
  if (open.start && open.end) return COUNTRY.test(host) && `.${host.slice(0, -3)}`.endsWith(`.${core}`);
  if (open.start) return `.${host}`.endsWith(`.${core}`);
  if (open.end) return host.startsWith(`${core}.`);
  return host === core || host.endsWith(`.${core}`);
}
