/*
 * PubMed: the medical literature, in two requests: IDs, then what they stand for. What surprised us: counts are texts; errors come inside
 * answers with status 200; a refusal repeats the caller's address or key, which is shown to nobody.
 */
import { own } from '../../core/own-text.ts';
import { at, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const TOOL = 'headgate';

export const pubmed = defineWebApi({
  id: 'pubmed',
  title: own`PubMed`,
  homepage: 'https://www.ncbi.nlm.nih.gov/books/NBK25497/',
  keys: 'optional',
  keyVariable: own`NCBI_API_KEY`,
  auth: { query: 'api_key' },
  baseUrl: 'https://eutils.ncbi.nlm.nih.gov/entrez/eutils',
  paceMs: 350,
  limits: [{ requests: 3, perMs: 1_000, withKey: 10 }],
  creditPrice: 0,
  topic: {
    intents: ['medicine', 'science'],
    licence: own`of NLM, free to use; abstracts belong to their publishers`,
    needsContact: true,
  },
  signals: [
    { means: 'upstream_authentication', status: 400, when: /api key/i, body: { error: 'API key invalid' } },
    { means: 'upstream_quota', status: 402, body: { error: 'Payment required' } },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: { error: 'API rate limit exceeded', count: '4', limit: '3' },
      headers: { 'retry-after': '2' },
    },
    {
      means: 'upstream_bad_answer',
      status: 200,
      when: /./,
      body: { esearchresult: { ERROR: 'Invalid term' } },
    },
  ],
  refusal: (answer) => textAt(answer, 'esearchresult.ERROR|error'),
  search: {
    method: 'GET',
    path: '/esearch.fcgi',
    queryCharsMax: 300,
    pageMax: 100,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end, query }, { contact }) => ({
      db: 'pubmed',
      retmode: 'json',
      sort: 'relevance',
      term: text,
      retmax: count,
      ...((start !== undefined || end !== undefined) && {
        datetype: 'pdat',
        mindate: (start ?? '1800-01-01').replaceAll('-', '/'),
        maxdate: (end ?? query.today ?? '3000-01-01').replaceAll('-', '/'),
      }),
      tool: TOOL,
      email: contact?.includes('@') === true ? contact.replace(/^mailto:/, '') : undefined,
    }),
    follow: (answer, sent) => {
      const ids = at(answer, 'esearchresult.idlist');
      if (!Array.isArray(ids) || ids.length === 0) return undefined;
      const email = sent.searchParams.get('email') ?? undefined;
      return {
        path: '/esummary.fcgi',
        parameters: { db: 'pubmed', retmode: 'json', id: ids.map(String).join(','), tool: TOOL, email },
      };
    },
    rows: (answer) => {
      const ids = at(answer, 'result.uids');
      // Without IDs there was no second request.
      return Array.isArray(ids)
        ? ids.map((id) => at(answer, `result.${String(id)}`))
        : at(answer, 'esearchresult.idlist');
    },
    list: 'result.uids|esearchresult.idlist',
    fields: { url: 'page', title: 'title', snippet: 'about', published: 'date' },
    row: (row) => ({
      title: textAt(row, 'title'),
      page: `https://pubmed.ncbi.nlm.nih.gov/${textAt(row, 'uid') ?? ''}/`,
      about: [textAt(row, 'fulljournalname|source'), textAt(row, 'pubdate')].filter(Boolean).join(', '),
      date: textAt(row, 'sortpubdate')?.slice(0, 10).replaceAll('/', '-'),
    }),
    simulate: ({ path, sent, pages }) => {
      if (path === '/esearch.fcgi') {
        const idlist = pages(sent['term'], sent['retmax']).map((_, index) => String(40_000_001 + index));
        return { esearchresult: { count: String(idlist.length), idlist } };
      }
      const uids = String(sent['id']).split(',');
      const record = (uid: string) => ({
        uid,
        title: `Trial ${uid}`,
        source: 'J Sim',
        pubdate: '2026 Mar 2',
      });
      return path === '/esummary.fcgi'
        ? { result: { uids, ...Object.fromEntries(uids.map((uid) => [uid, record(uid)])) } }
        : undefined;
    },
  },
});
