// A retriever of LangChain.js over Headgate: documents with their address, title and score, for any chain or RAG pipeline.
//   npm install @langchain/core
import assert from 'node:assert/strict';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { createClient, type Client } from 'headgate/client';
import { startWorld } from '../world.ts';

class HeadgateRetriever extends BaseRetriever {
  lc_namespace = ['headgate'];
  readonly web: Client;
  constructor(web: Client) {
    super();
    this.web = web;
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { results, outcome } = await this.web.search({ query, max_results: 5, max_tokens: 2_000 });
    return results.map(
      ({ url, title, content, score }) =>
        new Document({ pageContent: content, metadata: { source: url, title, score, outcome } }),
    );
  }
}

const world = await startWorld();
try {
  const retriever = new HeadgateRetriever(createClient({ baseUrl: await world.startGateway() }));
  const documents = await retriever.invoke('rust programming');
  for (const { metadata, pageContent } of documents)
    console.log(`${metadata['title']}  ${metadata['source']}\n  ${pageContent.slice(0, 100)}`);
  assert.ok(documents.length > 0);
  assert.ok(documents.every(({ metadata }) => String(metadata['source']).startsWith('https:')));
} finally {
  await world.end();
}
