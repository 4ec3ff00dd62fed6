/** A page to visit. */
export interface Step {
  url: string;
  depth: number;
}

/** The state of a crawl, sufficient to continue it later. */
export interface WalkState {
  queue: Step[];
  seen: Set<string>;
  /** Every address found, in order. */
  found: string[];
}
