/*
 * OSV: known vulnerabilities, by their ID, or of a package of an ecosystem. It does not search texts, so it is only asked what it can look
 * up. An ID that it does not know is 404.
 */
import { own } from '../../core/own-text.ts';
import { at, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const ID = /\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-[a-z0-9]{4}){3}|(?:RUSTSEC|PYSEC|GO|OSV)-\d{4}-\d+)\b/i;
/** Packages are looked up with their ecosystem: `npm lodash`, `PyPI: requests`. */
const PACKAGE =
  /\b(npm|pypi|crates\.io|go|maven|nuget|rubygems|packagist)\b[\s:]+(?:package\s+)?(@?[a-z0-9][\w./@-]*)/i;
const ECOSYSTEMS = ['npm', 'PyPI', 'crates.io', 'Go', 'Maven', 'NuGet', 'RubyGems', 'Packagist'];

export const osv = defineWebApi({
  id: 'osv',
  title: own`OSV`,
  homepage: 'https://google.github.io/osv.dev/api/',
  keys: 'none',
  baseUrl: 'https://api.osv.dev',
  paceMs: 100,
  limits: [{ requests: 600, perMs: 60_000 }],
  creditPrice: 0,
  topic: {
    intents: ['security'],
    suits: (text) => ID.test(text) || PACKAGE.test(text),
    licence: own`CC BY 4.0; credit the advisory’s source`,
    mustCredit: true,
  },
  signals: [
    { means: 'upstream_rate_limit', status: 429, body: { code: 8, message: 'Resource exhausted' } },
    { means: 'empty', status: 404, when: /not found/i, body: { code: 5, message: 'Bug not found.' } },
    {
      means: 'empty',
      status: 400,
      when: /ecosystem|package|query/i,
      body: { code: 3, message: 'Invalid query.' },
    },
  ],
  search: {
    path: '/v1/query',
    method: ({ text }) => (ID.test(text) ? 'GET' : 'POST'),
    place: (url, { text }) => {
      const id = ID.exec(text)?.[0];
      if (id !== undefined) url.pathname = url.pathname.replace('/v1/query', `/v1/vulns/${canonical(id)}`);
    },
    queryCharsMax: 300,
    pageMax: 100,
    takes: [],
    domainsMax: 0,
    send: ({ text }) => {
      const [, system = '', name = text] = PACKAGE.exec(text) ?? [];
      const ecosystem = ECOSYSTEMS.find((one) => one.toLowerCase() === system.toLowerCase()) ?? 'npm';
      return ID.test(text) ? {} : { package: { name, ecosystem } };
    },
    list: 'vulns',
    // No vulnerabilities are an empty object.
    rows: (answer) => {
      if (textAt(answer, 'id') !== undefined) return [answer];
      return JSON.stringify(answer) === '{}' ? [] : at(answer, 'vulns');
    },
    fields: { url: 'page', title: 'title', snippet: 'details', published: 'published' },
    row: (row) => {
      const id = textAt(row, 'id') ?? '';
      const summary = textAt(row, 'summary');
      return {
        ...(row as object),
        page: `https://osv.dev/vulnerability/${encodeURIComponent(id)}`,
        title: summary === undefined ? id : `${id}: ${summary}`,
      };
    },
    simulate: ({ path, sent, pages }) => {
      if (path.startsWith('/v1/vulns/'))
        return { id: path.slice(10), summary: 'A flaw', details: 'A simulated flaw.' };
      const name = at(sent, 'package.name');
      return path === '/v1/query'
        ? {
            vulns: pages(name, 45).map(({ title, snippet, date }, index) => ({
              id: `GHSA-sim0-0000-${String(index).padStart(4, '0')}`,
              summary: title,
              details: snippet,
              published: date,
            })),
          }
        : undefined;
    },
  },
});

/** CVE numbers are written in capitals, advisories of GitHub with a small end. */
function canonical(id: string): string {
  return /^GHSA/i.test(id) ? `GHSA${id.slice(4).toLowerCase()}` : id.toUpperCase();
}
