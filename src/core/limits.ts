const SECOND = 1_000;
const MIB = 1024 * 1024;

/** Every bound in one place. A loop, queue, body, list or wait without an entry here is a bug. */
export const LIMITS = {
  queryCharsMax: 1_000,
  queryBytesMax: 16 * 1024,
  urlCharsMax: 2_048,
  urlsPerCallMax: 20,
  resultsMax: 30,
  domainsIncludeMax: 300,
  domainsExcludeMax: 150,

  attemptsMax: 16,
  retriesMax: 3,
  retryBaseMs: 1 * SECOND,
  retryCapMs: 8 * SECOND,
  providerTimeoutMs: 30 * SECOND,
  callTimeoutMs: 60 * SECOND,
  upstreamBodyBytesMax: 10 * MIB,
  upstreamHeaderBytesMax: 64 * 1024,
  upstreamConcurrencyMax: 64,
  /** Retries may add this share of the calls of one key, plus a few that come back over time. */
  retryBudgetRatio: 0.1,
  retryBudgetReserve: 3,
  retryBudgetMax: 100,
  retryBudgetRefillMs: 20 * SECOND,
  /** How many keys the retry budget, pace and breaker remember. */
  keysMax: 1_000,
  paceWaitersMax: 1_000,
  upstreamMessageCharsMax: 500,
  htmlDepthMax: 512,
  titleCharsMax: 500,
  snippetCharsMax: 8_000,
  factsMax: 200,
  relatedTopicsMax: 500,

  fetchRedirectsMax: 3,
  fetchConnectMs: 5 * SECOND,
  fetchHeadersMs: 10 * SECOND,
  fetchIdleMs: 10 * SECOND,
  fetchTotalMs: 30 * SECOND,
  fetchBytesMax: 5 * MIB,
  fetchHeaderBytesMax: 16 * 1024,
  fetchPerCallerMax: 3,
  fetchPerOriginMax: 2,
  fetchQueueMax: 100,

  breakerFailuresMax: 5,
  breakerWindowMs: 30 * SECOND,
  breakerWindowCallsMin: 20,
  breakerProbeAfterMs: 15 * SECOND,

  cacheEntriesMax: 1_000,
  cacheBytesMax: 64 * MIB,
  cacheTtlMs: 10 * 60 * SECOND,

  simRequestsMax: 1_000,
  simKeepAliveMs: 60 * SECOND,
  extractDepthMax: 250,
  extractElementsMax: 200_000,
  extractTimeoutMs: 5 * SECOND,
  extractMemoryMb: 256,

  messageBytesMax: 4 * MIB,
  requestBodyBytesMax: 1 * MIB,
  logFieldCharsMax: 2_000,
  toolTextCharsMax: 48_000,

  toolsPerServerMax: 10_000,
  toolNameCharsMax: 64,
  toolProblemsMax: 10,
  toolProgressMax: 1_000,
  toolProgressCharsMax: 1_000,
  toolAnswerBytesMax: 10 * MIB,
  schemaDepthMax: 128,
  schemaStepsMax: 200_000,
} as const;
