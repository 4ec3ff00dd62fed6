import { own } from '../core/own-text.ts';
import { defineReranker } from './kit/reranker.ts';

/** Voyage ranks passages. */
export const voyage = defineReranker({
  id: 'voyage',
  title: own`Voyage`,
  homepage: 'https://www.voyageai.com',
  keys: 'required',
  keyVariable: own`VOYAGE_API_KEY`,
  baseUrl: 'https://api.voyageai.com/v1',
  model: 'rerank-2.5',
  format: 'voyage',
  // It is charged by tokens; this is about thirty long passages.
  creditPrice: 1_000,
});
