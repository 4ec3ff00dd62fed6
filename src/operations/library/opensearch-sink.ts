import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import type { LibraryDocument } from '../../library/document.ts';
import type { Sink } from '../../library/ingest/ingest.ts';
import type { OpenSearchSettings } from '../../providers/opensearch/opensearch.ts';
import { bulkRequest, createRequest, isThere, readBulk } from '../../providers/opensearch/index-documents.ts';
import { missingOf } from '../../routing/chain.ts';
import { opensearch } from '../../providers/opensearch/opensearch.ts';
import type { Services } from '../services.ts';

/** Well below the request limit of servers; a longer document is sent alone. */
const REQUEST_CHARS = 4_000_000;
const REQUEST_MS = 60_000;

/** Adds documents to the configured OpenSearch index; the first batch creates it. */
export function createOpenSearchSink(services: Services, signal: AbortSignal): Sink {
  const ready = services.providers.find(({ provider }) => provider.id === opensearch.id);
  if (ready === undefined) {
    throw new HeadgateError('not_configured', 'OpenSearch is not set up.', {
      provider: opensearch.id,
      remediation: missingOf(opensearch, services.config) ?? own`Run \`headgate doctor\`.`,
    });
  }
  const settings = ready.settings as OpenSearchSettings;
  const [key] = ready.keys;
  const send = (request: HttpRequest): Promise<HttpResponse> =>
    services.upstream.send(request, { signal, provider: opensearch.id, timeoutMs: REQUEST_MS });
  let made: Promise<void> | undefined;
  const make = async (): Promise<void> => {
    const response = await send(createRequest(settings, key));
    if (!isThere(response)) throw opensearch.fail(response, services.clock.now());
  };
  return {
    add: async (documents) => {
      await (made ??= make());
      const report = { added: 0, replaced: 0, unchanged: 0 };
      for (const part of parts(documents)) {
        const response = await send(bulkRequest(part, settings, key));
        if (response.status >= 300) throw opensearch.fail(response, services.clock.now());
        const { added, replaced } = readBulk(response);
        report.added += added;
        report.replaced += replaced;
      }
      return report;
    },
  };
}

function* parts(documents: LibraryDocument[]): Generator<LibraryDocument[]> {
  let part: LibraryDocument[] = [];
  let chars = 0;
  for (const document of documents) {
    if (part.length > 0 && chars + document.content.length > REQUEST_CHARS) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(document);
    chars += document.content.length;
  }
  if (part.length > 0) yield part;
}
