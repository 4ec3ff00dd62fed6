import { own } from '../core/own-text.ts';
import { defineReranker } from './kit/reranker.ts';

/** Cohere ranks passages. */
export const cohere = defineReranker({
  id: 'cohere',
  title: own`Cohere`,
  homepage: 'https://cohere.com/rerank',
  keys: 'required',
  keyVariable: own`COHERE_API_KEY`,
  baseUrl: 'https://api.cohere.com/v2',
  model: 'rerank-v3.5',
  format: 'cohere',
  creditPrice: 2_000,
});
