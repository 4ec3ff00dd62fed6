import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { SearchQuery } from '../../core/query.ts';
import { keepDomains } from '../search/domains.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import type { Services } from '../services.ts';
import type { Found } from '../search/strategy.ts';
import { writtenAnswer } from './written-answer.ts';

/** Adds the answer that the provider did not give: in the model's words when there is a model, else quoted from the results. */
export async function answered(
  found: Found,
  query: SearchQuery,
  call: Call,
  services: Services,
): Promise<Found> {
  // The caller sees only these, so only these can be cited by number.
  const { sources } = keepDomains(found.sources, query);
  if (services.model === undefined || sources.length === 0) return quoted(found, query, sources);
  try {
    const { answer, warnings } = await writtenAnswer(query, sources, services.model, call, services);
    return { ...found, answer, answerBy: 'model', warnings: [...found.warnings, ...warnings] };
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    if (error.type === 'internal') throw error;
    services.log.warn('answer_model_failed', { code: error.code, cause: error.cause });
    const notice = `The model did not write the answer (${error.message}); it is quoted from the results instead.`;
    return {
      ...quoted(found, query, sources),
      warnings: [...found.warnings, notice],
      hasModelFailed: true,
    };
  }
}

function quoted(found: Found, query: SearchQuery, sources: Found['sources']): Found {
  const answer = extractiveAnswer(query.text, sources);
  return answer === undefined ? found : { ...found, answer, answerBy: 'quotes' };
}
