import type { Page } from '../../extract/page-bytes.ts';
import type { Explanation } from '../../extract/passes/explain.ts';
import type { Services } from '../services.ts';

/** One page with what the passes of extraction did to its blocks. */
export interface ExplainedPage extends Explanation {
  name: string;
}

/** Services that also collect what the extraction passes did; otherwise calls are the same. */
export function explaining(
  services: Services,
  nameOf: (page: Page) => string,
): { services: Services; explained: ExplainedPage[] } {
  const explained: ExplainedPage[] = [];
  const extract: Services['extract'] = async (page, options, signal) => {
    const found = await services.extract(page, { ...options, explain: true }, signal);
    if (found.explanation !== undefined) explained.push({ name: nameOf(page), ...found.explanation });
    return found;
  };
  return { services: { ...services, extract }, explained };
}
