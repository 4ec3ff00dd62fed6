/** Every operation, loaded when it is first called: a search starts without the code of research. */
export const load = {
  search: async () => (await import('../operations/search/search.ts')).search,
  extract: async () => (await import('../operations/extract/extract.ts')).extract,
  answer: async () => (await import('../operations/search/answer.ts')).answer,
  crawl: async () => (await import('../operations/crawl/crawl.ts')).crawl,
  map: async () => (await import('../operations/crawl/crawl.ts')).map,
  research: async () => (await import('../research/research.ts')).research,
  researchSession: async () => (await import('../research/research.ts')).researchSession,
  verifyQuote: async () => (await import('../research/verify-quote.ts')).verifyQuote,
};
