import { LIMITS } from './limits.ts';

/** Why a parsed JSON value is refused: nested too deeply, or too many fields. Undefined when it is fine. */
export function shapeProblem(value: unknown): string | undefined {
  // Uses its own stack: a hostile value must not overflow the call stack.
  const open: [unknown, number][] = [[value, 1]];
  let fields = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [here, depth] = next;
    if (typeof here !== 'object' || here === null) continue;
    if (depth > LIMITS.requestDepthMax) return `nested deeper than ${LIMITS.requestDepthMax} levels`;
    const values = Object.values(here) as unknown[];
    fields += values.length;
    if (fields > LIMITS.requestFieldsMax) return `of more than ${LIMITS.requestFieldsMax} fields`;
    for (const below of values) open.push([below, depth + 1]);
  }
  return undefined;
}
