/** A page that is to be visited. */
export interface Step {
  url: string;
  depth: number;
}

/** Where a walk stands: enough to go on later. */
export interface WalkState {
  queue: Step[];
  seen: Set<string>;
  /** Every address found, in order. */
  found: string[];
}
