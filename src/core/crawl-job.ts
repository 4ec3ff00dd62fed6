/** Bounds of crawls that run in the background, on all gateways of one PostgreSQL. */
export const CRAWL_JOB_LIMITS = {
  pagesMax: 1_000_000,
  depthMax: 20,
  breadthMax: 500,
  /** Crawls of one workspace that run at a time, and that are listed. */
  runningMax: 4,
  listMax: 100,
  /** How long a crawl may run, and how long its results are kept. */
  ageMs: 30 * 24 * 3_600_000,
  keptMs: 7 * 24 * 3_600_000,
  /** Hosts that one gateway holds at a time. It reads `LIMITS.crawlConcurrencyMax` pages at a time; the other hosts wait out their delay. */
  hostsMax: 12,
  /** Hosts that are claimed in one statement. */
  claimMax: 8,
  /** A host goes back to the others after so many pages, so much time or so much text. */
  batchPages: 8,
  batchMs: 4_000,
  /** Turns at a host that are shared with `POST /crawl` are taken for so long at once. */
  turnsMs: 1_000,
  batchChars: 4_000_000,
  /** How long a batch may take in all, with its slowest page. */
  batchTimeoutMs: 120_000,
  /** A gateway that dies loses its hosts after this time, or after the host's delay if that is longer. */
  leaseMs: 10_000,
  renewMs: 3_000,
  /** How often a gateway looks for hosts: soon after it found some, then less and less often, and least while it has nothing to do. */
  claimedLookMs: 20,
  lookMs: 100,
  lookMsMax: 500,
  idleLookMsMax: 1_000,
  /** How long a host rests whose batch failed. */
  failedPauseMs: 500,
  /** How often a gateway looks for results that are to go to a library, and how long it may take to add some. */
  libraryLookMs: 2_000,
  libraryLeaseMs: 60_000,
  pruneMs: 60_000,
  pruneRows: 5_000,
  /** A page that so many gateways did not survive is skipped. */
  triesMax: 3,
  /** Rows of results that are read at a time. */
  lineRows: 50,
} as const;
