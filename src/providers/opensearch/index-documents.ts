import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import { hostOf } from '../../core/url.ts';
import { addressOf, errorOf, OPENSEARCH, type OpenSearchSettings } from './opensearch.ts';
import { readJson } from '../kit/read-json.ts';

/** A document to be indexed. */
export interface IndexedDocument {
  id: string;
  url: string;
  title: string;
  content: string;
  kind: string;
  publishedDate?: string | undefined;
  package?: string | undefined;
  version?: string | undefined;
}

const words = {
  type: 'text',
  analyzer: 'english',
  // Pairs of characters find Japanese, Chinese and Korean text without a plugin.
  fields: { cjk: { type: 'text', analyzer: 'cjk' } },
};
const word = { type: 'keyword', ignore_above: 1_024 };

/** The mapping that an index needs so that the provider can search it. */
export const MAPPING = {
  mappings: {
    dynamic: false,
    properties: {
      url: { ...word, doc_values: false },
      title: words,
      content: words,
      /** The host and its parent domains, so that a domain matches its subdomains. */
      domains: word,
      kind: word,
      package: word,
      version: word,
      published_date: { type: 'date', format: 'strict_date_optional_time', ignore_malformed: true },
    },
  },
};

/** Creates the index; harmless when it exists. */
export function createRequest(settings: OpenSearchSettings, key: string | undefined): HttpRequest {
  const { url, headers } = addressOf(settings, `/${settings.index}`, key);
  return { method: 'PUT', url, headers, body: JSON.stringify(MAPPING) };
}

/** True when the response means that the index exists now. */
export function isThere(response: HttpResponse): boolean {
  return response.status < 300 || errorOf(response.body).type === 'resource_already_exists_exception';
}

/** Adds or replaces documents by ID. */
export function bulkRequest(
  documents: IndexedDocument[],
  settings: OpenSearchSettings,
  key: string | undefined,
): HttpRequest {
  const { url, headers } = addressOf(settings, `/${settings.index}/_bulk`, key);
  const lines = documents.flatMap(({ id, publishedDate, ...rest }) => [
    { index: { _id: id } },
    {
      url: rest.url,
      title: rest.title,
      content: rest.content,
      domains: domainsOf(rest.url),
      kind: rest.kind,
      package: rest.package,
      version: rest.version,
      published_date: publishedDate,
    },
  ]);
  const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  return { method: 'POST', url, headers: { ...headers, 'content-type': 'application/x-ndjson' }, body };
}

const bulkShape = z.object({
  items: z.array(
    z.object({
      index: z.object({
        _id: z.string().catch(''),
        result: z.string().optional(),
        error: z.object({ reason: z.string().catch('') }).optional(),
      }),
    }),
  ),
});

/** The number of new and replaced documents; throws when any was refused. */
export function readBulk(response: HttpResponse): { added: number; replaced: number } {
  const items = readJson(response, OPENSEARCH, bulkShape).items.map(({ index }) => index);
  const refused = items.filter(({ error }) => error !== undefined);
  const [first] = refused;
  if (first !== undefined) {
    throw new HeadgateError(
      'upstream_invalid',
      own`OpenSearch refused ${refused.length} of ${items.length} documents.`,
      {
        provider: OPENSEARCH.id,
        cause: first,
        remediation: 'Compare the mapping of the index with the documented one.',
      },
    );
  }
  return {
    added: items.filter(({ result }) => result === 'created').length,
    replaced: items.filter(({ result }) => result !== 'created').length,
  };
}

function domainsOf(url: string): string[] {
  const labels = hostOf(url)
    .replace(/^www\./, '')
    .split('.');
  return labels.length < 2 ? [] : labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
}
