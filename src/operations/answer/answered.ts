import type { Ctx } from '../../routing/services.ts';
import { warned } from '../../core/own-text.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Match } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { chunkText } from '../../rank/chunk.ts';
import { createCover } from '../../rank/cover.ts';
import { keepDomains, type Found } from './found.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import type { Services } from '../services.ts';
import { writtenAnswer } from './written-answer.ts';

const NO_ANSWER = warned`No answer is given: the results do not match the question.`;
const WEAK_ANSWER = warned`The results match the question only in part. Check the answer against them.`;
const FOREIGN_ANSWER = warned`The provider’s answer is not supported by its results. Check it before you use it.`;

/**
 * Adds an answer if the provider gave none: written by the model if there is one, otherwise quoted from the
 * results. Unrelated results give no answer, and a partial match is marked.
 */
export async function answered(found: Found, query: SearchQuery, ctx: Ctx<Services>): Promise<Found> {
  const { services } = ctx;
  // Only results that the caller sees can be cited by number.
  const { sources } = keepDomains(found.sources, query);
  if (found.answer !== undefined) return judgedByProvider(found, found.answer, query, sources);
  if (sources.length === 0) return found;
  const texts = sources.map(textOf);
  const judged = matchOf(query.text, texts);
  // A model can read languages that share no words with the question.
  const isReadable = services.model !== undefined && isUnspaced(query.text) !== isUnspaced(texts.join('\n'));
  const match = judged === 'none' && isReadable ? 'weak' : judged;
  if (match === 'none') return { ...found, match, warnings: [...found.warnings, NO_ANSWER] };
  const given = await answerFrom(found, query, sources, ctx);
  if (given.answer === undefined)
    return { ...given, match: 'none', warnings: [...given.warnings, NO_ANSWER] };
  return match === 'answered' && given.match !== 'weak'
    ? { ...given, match }
    : {
        ...given,
        match: 'weak',
        answer: `${WEAK_PREFIX}${given.answer}`,
        warnings: [...given.warnings, WEAK_ANSWER],
      };
}

const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);

/** Many clients show only the answer. */
const WEAK_PREFIX = 'The results match the question only in part. ';

function judgedByProvider(found: Found, answer: string, query: SearchQuery, sources: Source[]): Found {
  const match = matchOf(query.text, [answer, ...sources.map(textOf)]);
  const isFirm = match === 'answered';
  return {
    ...found,
    answerBy: 'provider',
    match: isFirm ? match : 'weak',
    warnings:
      match === 'none'
        ? [...found.warnings, FOREIGN_ANSWER]
        : isFirm
          ? found.warnings
          : [...found.warnings, WEAK_ANSWER],
  };
}

const textOf = ({ title, snippet, content }: Source): string =>
  `${title}\n\n${snippet === '' ? (content ?? '') : snippet}`;

/** How well the best passage of several texts matches a question. */
function matchOf(question: string, texts: string[]): Match {
  const cover = createCover(question);
  const best = texts.flatMap((text) => {
    const title = text.slice(0, text.indexOf('\n'));
    return chunkText(text).map((chunk) => cover.of(title, chunk.text));
  });
  return cover.matchOf(Math.max(0, ...best));
}

async function answerFrom(
  found: Found,
  query: SearchQuery,
  sources: Source[],
  ctx: Ctx<Services>,
): Promise<Found> {
  const { call, services } = ctx;
  if (services.model === undefined) return quoted(found, query, sources);
  try {
    const { answer, warnings } = await writtenAnswer(query, sources, services.model, ctx);
    return { ...found, answer, answerBy: 'model', warnings: [...found.warnings, ...warnings] };
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    if (error.type === 'internal') throw error;
    services.log.warn('answer_model_failed', { code: error.code, cause: error.cause });
    const notice = warned`The model did not write the answer (${error.message}); it is quoted from the results instead.`;
    return {
      ...quoted(found, query, sources),
      warnings: [...found.warnings, notice],
      hasModelFailed: true,
    };
  }
}

function quoted(found: Found, query: SearchQuery, sources: Source[]): Found {
  const answer = extractiveAnswer(query.text, sources, query.includeAnswer);
  if (answer === undefined) return found;
  const { text, isLacking } = answer;
  return { ...found, answer: text, answerBy: 'quotes', ...(isLacking ? { match: 'weak' } : {}) };
}
