import type { Fault } from './faults.ts';
import type { SimRequest } from './upstream.ts';

/**
 * Which requests a script applies to: a path prefix (with the upstream's ID), optionally a method and a text
 * in URL or body.
 */
export type RequestMatch = string | { path: string; method?: string; contains?: string };

export interface Script {
  add(match: RequestMatch, faults: Fault[]): void;
  /** Takes the fault for this request. */
  next(request: SimRequest): Fault | undefined;
  clear(): void;
}

/**
 * Each matching request takes the next fault of the first script that has one left; after that requests
 * succeed again.
 */
export function createScript(): Script {
  let rules: { match: RequestMatch; left: { fault: Fault; times: number }[] }[] = [];
  return {
    add: (match, faults) => {
      rules.push({ match, left: faults.map((fault) => ({ fault, times: timesOf(fault) })) });
    },
    next: (request) => {
      rules = rules.filter((rule) => rule.left.length > 0);
      const rule = rules.find((candidate) => matches(candidate.match, request));
      const [first] = rule?.left ?? [];
      if (rule === undefined || first === undefined) return undefined;
      first.times -= 1;
      if (first.times <= 0) rule.left.shift();
      return first.fault;
    },
    clear: () => {
      rules = [];
    },
  };
}

const timesOf = (fault: Fault): number => (fault.times === 'always' ? Infinity : (fault.times ?? 1));

function matches(match: RequestMatch, request: SimRequest): boolean {
  const rule: Exclude<RequestMatch, string> = typeof match === 'string' ? { path: match } : match;
  const { path, method, contains } = rule;
  return (
    request.url.pathname.startsWith(path) &&
    (method === undefined || method === request.method) &&
    (contains === undefined || `${request.url.href}\n${request.body}`.includes(contains))
  );
}
