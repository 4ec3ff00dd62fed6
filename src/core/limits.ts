const SECOND = 1_000;
const MIB = 1024 * 1024;

/** Every bound in one place. A loop, queue, body, list or wait without an entry here is a bug. */
export const LIMITS = {
  queryCharsMax: 1_000,
  urlCharsMax: 2_048,
  urlsPerCallMax: 20,
  /** How many URLs a tool accepts before it reports its own, smaller limit. */
  urlsGivenMax: 1_000,
  cursorCharsMax: 2_000,
  resultsMax: 30,
  domainsIncludeMax: 300,
  domainsExcludeMax: 150,

  /** How long a source of a topic may take; general search does not wait longer for it. */
  topicSourceMs: 5_000,
  pagesMax: 6,
  deepenPagesMax: 10,
  crawlPagesMax: 500,
  crawlLinksMax: 20_000,
  crawlConcurrencyMax: 4,
  crawlPaceMs: 100,
  crawlSessionsMax: 50,
  crawlSessionMs: 15 * 60 * SECOND,
  crawlTextCharsMax: 20_000_000,
  sitemapsMax: 20,
  /** How long a provider may take to crawl a site. */
  siteTimeoutMs: 155 * SECOND,
  patternsMax: 50,
  deepenCharsMax: 100_000,
  keyCooldownMs: 1 * SECOND,
  keyExhaustedMs: 60 * 60 * SECOND,
  keyRefusedMs: 10 * 60 * SECOND,
  retriesMax: 3,
  retryBaseMs: 1 * SECOND,
  retryCapMs: 8 * SECOND,
  providerTimeoutMs: 30 * SECOND,
  callTimeoutMs: 60 * SECOND,
  upstreamBodyBytesMax: 10 * MIB,
  upstreamHeaderBytesMax: 64 * 1024,
  /** Most servers keep idle connections for a minute; a new one costs a TLS handshake. */
  upstreamKeepAliveMs: 20 * SECOND,
  /** How long before the server an idle connection is given up, so that no request is sent into its closing. */
  upstreamKeepAliveMarginMs: 1 * SECOND,
  upstreamConcurrencyMax: 64,
  /**
   * A caller with at most this many calls per minute always gets its retries. Above that, retries may add
   * this share to the requests of a key.
   */
  retryQuietCallsMax: 10,
  retryBudgetRatio: 0.1,
  retryBudgetMax: 100,
  /** How many keys the retry budget, pace and breaker track. */
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
  /** The first byte and every pause may take as long as the whole page. */
  fetchHeadersMs: 30 * SECOND,
  fetchIdleMs: 30 * SECOND,
  fetchTotalMs: 30 * SECOND,
  /** What is kept of a call's time to deliver the pages that were read. */
  extractDeliveryMs: 500,
  robotsMs: 10 * SECOND,
  fetchBytesMax: 5 * MIB,
  fetchHeaderBytesMax: 16 * 1024,
  fetchPerCallerMax: 3,
  fetchPerOriginMax: 2,
  fetchQueueMax: 100,
  fetchAddressesMax: 4,
  fetchAddressMs: 1_500,
  fetchSniffBytes: 1024,

  /** A provider's health is judged by its attempts in this time, and by at most this many of them. */
  healthWindowMs: 15 * 60 * SECOND,
  healthAttemptsMax: 20,
  /** Results that a reranker gets, the length of each, and its time. */
  rerankPassagesMax: 30,
  rerankPassageCharsMax: 2_000,
  rerankMs: 5 * SECOND,
  /** How fast a provider is, is the median of its answers in this time, and of at most this many of them. */
  latencyWindowMs: 60 * 60 * SECOND,
  latencySamplesMax: 50,
  /** Calls, not requests: one call with its retries counts once. */
  breakerFailuresMax: 5,
  breakerWindowMs: 30 * SECOND,
  breakerCallsMax: 1_000,
  breakerWindowCallsMin: 20,
  breakerProbeAfterMs: 15 * SECOND,

  cacheEntriesMax: 1_000,
  cacheBytesMax: 64 * MIB,
  cacheTtlMs: 10 * 60 * SECOND,

  corpusLinesMax: 10_000,
  simRequestsMax: 1_000,
  simKeepAliveMs: 60 * SECOND,
  extractDepthMax: 250,
  extractElementsMax: 200_000,
  extractBlocksMax: 15_000,
  extractBytesMax: 10 * MIB,
  /** Blocks in an explanation of a page, and how much of each is shown. */
  explainBlocksMax: 2_000,
  explainExcerptChars: 80,
  jsonDepthMax: 100,
  /** A page up to this size may be read without a thread that could be stopped. */
  extractHereBytesMax: 64 * 1024,
  extractTimeoutMs: 5 * SECOND,
  extractMemoryMb: 256,
  extractStartMs: 30 * SECOND,
  extractQueueMax: 500,
  /**
   * Rendering: browsers at once, pages that wait for one, and the time, requests, bytes and memory of one
   * page.
   */
  renderMax: 2,
  renderQueueMax: 20,
  renderStartMs: 10 * SECOND,
  renderMs: 12 * SECOND,
  renderGraceMs: 3 * SECOND,
  renderSettleMs: 500,
  renderPollMs: 100,
  renderRequestsMax: 250,
  renderRequestsAtOnceMax: 6,
  renderDocumentsMax: 4,
  renderBytesMax: 25 * MIB,
  renderBodyCharsMax: 256 * 1024,
  renderHtmlCharsMax: 5 * MIB,
  renderMessageBytesMax: 64 * MIB,
  renderMemoryMb: 1_024,
  pdfPagesMax: 500,
  /**
   * Processes that read PDFs: how many, the memory of each, and how long an idle one waits for the next PDF.
   */
  pdfProcessesMax: 2,
  pdfMemoryMb: 400,
  pdfIdleMs: 15 * SECOND,
  feedEntriesMax: 100,

  /** How long a hold lives when it is not settled. The slowest upstream path takes 134 s. */
  holdTtlMs: 300 * SECOND,
  holdTtlMaxMs: 24 * 3_600 * SECOND,
  /**
   * The most that is charged, as a multiple of the hold: a provider that reports nonsense must not empty an
   * account.
   */
  overageMax: 4,
  sweepMs: 30 * SECOND,
  sweepHoldsMax: 1_000,
  /** Ends of holds that could not be written and are retried. */
  outboxMax: 10_000,
  /** Calls without a price are written in batches this often; this many kinds are counted in between. */
  freeCallsFlushMs: 1 * SECOND,
  freeCallsMax: 10_000,
  /** Rows of the call log that charge nothing wait this long, so many at most; more is written at once. */
  callsFlushMs: 1 * SECOND,
  callsBatchMax: 250,
  callsWaitingMax: 10_000,
  callTextsKnownMs: 10 * SECOND,
  /** What a row of the call log holds. */
  callQueryCharsMax: 2_000,
  callAnswerCharsMax: 50_000,
  callAttemptsMax: 20,
  /** A page of the call log, and how many rows are searched for it. */
  callsPageMax: 500,
  callsLookedMax: 5_000,
  /** How much of the call log is removed at once. */
  callsTrimmedMax: 2_000,
  callsTrimRoundsMax: 50,
  /** A clock this far behind the store raises an alarm. */
  clockBehindMs: 5 * SECOND,
  idempotencyTtlMs: 25 * 3_600 * SECOND,
  idempotencyAnswerCharsMax: 4 * MIB,
  meterNameCharsMax: 200,
  creditsPerCallMax: 1_000_000,
  storeBatchMax: 256,
  /** Batches in flight to the store's thread, which commits everything that has arrived as one. */
  storeBatchesMax: 4,
  /** Accounts and open holds that the store caches in memory between two batches. */
  storeKnownMax: 10_000,
  storeQueueMax: 20_000,
  storeDeadlineMs: 2 * SECOND,
  /** Batches that run in parallel on PostgreSQL, each with different accounts. */
  storeLanes: 2,
  storeConnectionsMax: 4,
  storeRetriesMax: 3,
  storeRowsMax: 1_000,
  /** Budgets of one workspace, all of which are read with every booking of it. */
  budgetsPerWorkspaceMax: 300,
  /** The longest rolling budget: 90 days. */
  budgetHoursMax: 2_160,
  webhooksMax: 100,
  /** Webhooks that are sent to at the same time, and requests to one of them in a row. */
  webhooksAtOnceMax: 8,
  deliveriesPerRoundMax: 100,
  deliveriesShownMax: 100,
  eventsShownMax: 200,
  /** How long a receiver may take, and how much it may answer. */
  webhookTimeoutMs: 5_000,
  webhookAnswerBytesMax: 65_536,
  /** The longest that a receiver can ask for with Retry-After. */
  webhookRetryAfterMaxMs: 86_400_000,
  /** A gateway that stops while it delivers is replaced after this. */
  webhookLeaseMs: 30_000,
  /** How long a replaced secret still signs. */
  webhookSecretGraceMs: 86_400_000,
  /** How often events are delivered, and what no booking shows is looked for. */
  alertsMs: 2_000,
  noticesMs: 3_600_000,
  failuresNoticedMs: 60_000,
  eventsKeptMs: 7_776_000_000,
  /** One step of copying a store, whatever the size of the tables. */
  storeCopyMs: 600 * SECOND,
  exportRowsMax: 100_000,
  dependentsMax: 10_000,
  bridgeLoadMs: 60_000,

  /** Research: pages per session, characters kept of each, and how much is examined and reported. */
  researchSourcesMax: 200,
  researchSourceCharsMax: 50_000,
  researchSentencesPerSourceMax: 300,
  researchCandidatesMax: 150,
  researchFindingsMax: 60,
  researchConflictsMax: 12,
  researchFindingsPerSourceMax: 4,
  researchThemesMax: 7,
  reportTokensMin: 150,
  researchGapsMax: 20,
  researchFollowUpsMax: 5,
  researchReadUrlsMax: 5,
  researchWarningsMax: 50,
  /** Sessions that run at once, sessions kept per workspace, and how long they are kept. */
  researchRunningMax: 20,
  researchSessionsMax: 1_000,
  researchTtlMs: 24 * 3_600 * SECOND,
  researchEventsMax: 1_000,
  researchAuditMax: 5_000,
  /**
   * The runner of a session renews its lease at this interval; after a whole lease without renewal another
   * process may take over.
   */
  researchBeatMs: 2 * SECOND,
  researchLeaseMs: 15 * SECOND,
  researchLeaseMarginMs: 6 * SECOND,
  researchTakeoversMax: 3,
  researchWatchMs: 500,
  researchStepMs: 90 * SECOND,
  /** Time of a waiting call that is reserved for writing the report. */
  researchWriteUpMs: 1 * SECOND,
  modelSourcesMax: 20,
  modelSourceCharsMax: 1_500,
  modelAnswerCharsMax: 200_000,
  /** How long a model may take to word the answer to a search. */
  answerModelMs: 20 * SECOND,

  messageBytesMax: 4 * MIB,
  requestBodyBytesMax: 1 * MIB,
  requestDepthMax: 64,
  /** Fields and list entries of one request, over all levels. */
  requestFieldsMax: 20_000,
  requestHeaderBytesMax: 16 * 1024,
  /** How long a client may take to send its request. */
  requestReceiveMs: 30 * SECOND,
  connectionIdleMs: 65 * SECOND,
  connectionsMax: 10_000,
  /** How many callers the rate limits track. */
  clientsMax: 10_000,
  keyGuessesPerMinute: 20,
  /**
   * How long a gateway caches what it read about a key. A revocation by another process takes effect after
   * this time.
   */
  keyKnownMs: 1 * SECOND,
  /** The longest delay before a wrong password or token is refused. */
  guessDelayMsMax: 5 * SECOND,
  /** How long wrong guesses are remembered. */
  guessMemoryMs: 15 * 60 * SECOND,
  guessesWaitingMax: 256,
  /** Wrong second factors of one person, after which none is accepted for a while: codes have only six digits. */
  factorGuessesPerHour: 20,
  /** Sign-ins of clients that the console shows. */
  handshakesMax: 50,
  /** Passwords waiting to be checked: in total, and per address. */
  passwordChecksMax: 64,
  passwordChecksPerAddress: 16,
  /** How long a gateway caches that its store is writable. */
  readyKnownMs: 1 * SECOND,
  passwordCharsMin: 12,
  passwordCharsMax: 200,
  setupLinkMs: 60 * 60 * SECOND,
  sessionIdleMs: 12 * 3_600 * SECOND,
  sessionMs: 7 * 24 * 3_600 * SECOND,
  sessionSeenMs: 60 * SECOND,
  /** Signing in to a client: how long the person may take, and how long codes and tokens are valid. */
  authorizationMs: 10 * 60 * SECOND,
  authorizationsMax: 10_000,
  authorizationCodeMs: 60 * SECOND,
  accessTokenMs: 10 * 60 * SECOND,
  refreshTokenMs: 30 * 24 * 3_600 * SECOND,
  authorizationsPerMinute: 60,
  /** An identity provider: how long it may take, how large its answers are, and how long its metadata is cached. */
  issuerMs: 10 * SECOND,
  issuerBytesMax: 256 * 1024,
  issuerTtlMs: 60 * 60 * SECOND,
  issuerFailedMs: 5 * SECOND,
  issuerSharedMs: 1 * SECOND,
  /** Tokens of a foreign authorization server: how many are remembered, and for how long a check counts. */
  foreignTokensMax: 1_000,
  foreignTokenKnownMs: 30 * SECOND,
  groupsMax: 1_000,
  /** How long somebody about whom the provider cannot be asked again may use clients after a sign-in. */
  providerUncheckedMs: 12 * 3_600 * SECOND,
  /** Clients that registered themselves: how many, how long an unused one is kept, and how often its use is noted. */
  oauthClientsMax: 1_000,
  oauthClientMs: 90 * 24 * 3_600 * SECOND,
  oauthClientSeenMs: 24 * 3_600 * SECOND,
  networksPerKeyMax: 50,
  rotateGraceHoursMax: 30 * 24,
  registrationsPerMinute: 5,
  redirectsPerClientMax: 20,
  clientDocumentBytesMax: 64 * 1024,
  clientDocumentMs: 5 * SECOND,
  clientDocumentTtlMs: 60 * 60 * SECOND,
  clientDocumentFailedMs: 60 * SECOND,
  clientDocumentsMax: 100,
  auditRowsMax: 200,
  delegationsMax: 3,
  /** How long a research may be streamed, and how often a silent stream sends a keep-alive. */
  researchStreamMs: 330 * SECOND,
  streamPingMs: 15 * SECOND,
  traceSpansMax: 4_096,
  traceBatchMax: 512,
  traceFlushMs: 2 * SECOND,
  /** How long a trace collector may take. No call waits for it. */
  traceSendMs: 5 * SECOND,
  /** How long a process that ends waits for its last spans. */
  traceCloseMs: 1 * SECOND,
  traceInputCharsMax: 1_000,
  logFieldCharsMax: 2_000,
  toolTextCharsMax: 48_000,

  chunkCharsMax: 500,
  chunksPerSourceMax: 5,
  rankCharsMax: 20_000_000,
  fitTokensMin: 16,

  libraryTermsMax: 100,
  libraryFileBytesMax: 5 * MIB,
  libraryFilesMax: 200_000,
  libraryFolderDepthMax: 32,
  librarySegmentDocumentsMax: 20_000,
  librarySegmentBytesMax: 64 * MIB,
  librarySegmentsMax: 12,
  libraryBytesMax: 2_048 * MIB,
  libraryProblemsMax: 1_000,
  librariesOpenMax: 16,
  /** Bytes of postings that one open segment caches in memory. */
  libraryPostingsBytesMax: 4 * MIB,
  /** Pages of a site that are added in one job, and jobs that are remembered. */
  libraryPagesMax: 5_000,
  /** How long adding documents may take to stop when the gateway stops. */
  libraryStopMs: 2 * SECOND,
  libraryJobsMax: 50,
  libraryJobsRunningMax: 4,
  /** Pages waiting to be archived. */
  libraryKeepQueueMax: 500,

  toolsPerServerMax: 10_000,
  toolCallsMax: 256,
  /** How long a tool may take to end after its call was cancelled. */
  toolStopMs: 1_000,
  toolNameCharsMax: 64,
  toolProblemsMax: 10,
  toolProgressMax: 1_000,
  toolProgressCharsMax: 1_000,
  /** The client may ask a person before it runs its model. */
  samplingTimeoutMs: 120 * SECOND,
  /**
   * Sampling requests per research (clients follow ten rounds), and how long a call that waits for a reply is
   * kept.
   */
  samplingAsksMax: 8,
  suspendedCallMs: 600 * SECOND,
  toolAnswerBytesMax: 10 * MIB,
  httpConnectionsMax: 1_000,
  schemaDepthMax: 128,
  schemaStepsMax: 200_000,
} as const;
