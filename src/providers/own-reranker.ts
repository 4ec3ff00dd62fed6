import { own } from '../core/own-text.ts';
import { defineReranker } from './kit/reranker.ts';

/** Any server with a `/rerank`: Text Embeddings Inference by default, or one that speaks Cohere's format. */
export const ownReranker = defineReranker({
  id: 'reranker',
  title: own`Reranker`,
  homepage: 'https://github.com/huggingface/text-embeddings-inference',
  keys: 'optional',
  keyVariable: own`RERANK_KEY`,
  urlVariable: own`RERANK_URL`,
  model: 'default',
  format: 'tei',
  creditPrice: 0,
});
