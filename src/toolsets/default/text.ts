import type { AnswerOutput } from '../../contract/answer.ts';
import type { ExtractCode, ExtractHit, ExtractOutput } from '../../contract/extract.ts';
import type { ResearchReport } from '../../contract/types.ts';
import type { SearchHit, SearchOutput } from '../../contract/search.ts';
import type { FailureType, HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { joined, listed, named, own, safe } from '../../core/own-text.ts';
import { clip, ended, oneLine, plural, type OwnText, type SafeText } from '../../core/text.ts';
import { licencesOf, titleOf } from '../../routing/chain.ts';
import { fillBudget } from '../../rank/fill.ts';
import { fitContents } from '../../rank/fit-contents.ts';
import { framed, type Framed } from '../../rank/frame.ts';
import { joinChunks } from '../../rank/join.ts';
import { seenPassage } from '../../rank/links.ts';
import { unusable } from '../catalogue.ts';
import { concerns } from '../concerns.ts';
import type { ToolEngine } from '../engine.ts';
import { defuse, type Fence } from '../../core/fence.ts';
import { fits } from '../room.ts';
import { blockText, inlineText, inlineUrl, lineText } from '../markdown.ts';
import { renderAnswer } from '../render-answer.ts';

/** The output of the default tools. Web text is inside the fence, our own words are outside. */

const TITLE_CHARS = 300;
const NOTE_CHARS = 400;
const QUERY_CHARS = 100;
/** Hosts truncate longer answers, and a fence must not lose its end tag. */
const ANSWER_CHARS = LIMITS.toolTextCharsMax - 2_000;

/** Renders results within the token limit, filled with their best passages, and says how many were left out. */
export async function searchText(
  output: SearchOutput,
  fence: Fence,
  tokensMax: number,
  engine: ToolEngine,
): Promise<SafeText> {
  const { results, library = [] } = output;
  if (results.length === 0 && library.length === 0)
    return paragraphs([nothingFound(output), ...noted(output)]);
  const notes = await shortened(noted(output), tokensMax * NOTES_SHARE, engine);
  const documents = library.length === 0 ? [] : [LIBRARY_TITLE, fence.around(items(library))];
  const render = (shown: SearchHit[], local: SafeText[] = []): SafeText => {
    const left = results.length - shown.length;
    const web = [fence.around(list(output, shown)), footer(output, shown.length)];
    return paragraphs([
      fence.preface,
      ...(results.length === 0 ? [nothingFound(output)] : web),
      ...local,
      ...(left === 0
        ? []
        : [own`${plural(left, 'result')} left out to stay within max_tokens. Raise it to see more.`]),
      ...notes,
    ]);
  };
  const isRoomFor = async (text: SafeText): Promise<boolean> =>
    text.length <= ANSWER_CHARS && (await fits(text, tokensMax, engine));
  // The library's documents are left out before anything of the web is.
  for (const whole of [render(results, documents), render(results)]) if (await isRoomFor(whole)) return whole;
  for (let count = results.length; count > 0; count -= 1) {
    const shown = results.slice(0, count);
    const bare = render(shown.map((one) => ({ ...one, content: '' })));
    const room = tokensMax - (await engine.countTokens(bare));
    if (room < tokensMax * PASSAGES_SHARE && count > 1) continue;
    const pages = shown.map(({ url, title, content }) => ({ id: url, title, content }));
    // Characters that are escaped take more tokens than the passage itself.
    for (
      let tokens = Math.min(room, ANSWER_CHARS);
      tokens >= LIMITS.fitTokensMin;
      tokens = Math.floor(tokens * 0.9)
    ) {
      const contents = await fitContents(output.query, pages, tokens, shownPassage);
      const text = render(shown.map((one, at) => ({ ...one, content: contents[at] ?? '' })));
      if (await isRoomFor(text)) return text;
    }
    if (await isRoomFor(bare)) return bare;
  }
  return NOTHING_FITS;
}

/** Results are left out until this share of the tokens is for passages. */
const PASSAGES_SHARE = 0.4;

const LIBRARY_TITLE = own`From the local library:`;

/** One part of a page with the cursor to the next; cut tables and code repeat their head or fence. */
export async function pageText(
  page: ExtractHit,
  output: ExtractOutput,
  fence: Fence,
  options: { tokensMax: number; cursor?: string },
  engine: ToolEngine,
): Promise<SafeText> {
  const content = defuse(page.raw_content);
  const facts = await shortened(factsOf(page), options.tokensMax * FACTS_SHARE, engine);
  const notes = await shortened(
    noted(output, page.match === 'none' ? undefined : page.reason),
    options.tokensMax * NOTES_SHARE,
    engine,
  );
  for (let tokensMax = options.tokensMax; tokensMax >= LIMITS.fitTokensMin;) {
    const best = options.cursor === undefined ? await bestPassages(page, tokensMax) : undefined;
    const part = await engine.fitText(best?.text ?? content, { ...options, tokensMax });
    const text = paragraphs([
      fence.preface,
      fence.around([...facts, framed(part)].join('\n\n')),
      ...(best?.isAll === false ? [own`More passages match; raise max_tokens to see them.`] : []),
      ...(part.cursor === undefined
        ? []
        : [
            own`More follows, about ${part.remainingTokens} tokens: call fetch_url with the same url and cursor "${named(part.cursor)}".`,
          ]),
      ...notes,
    ]);
    if (text.length <= ANSWER_CHARS && (await fits(text, options.tokensMax, engine))) return text;
    const tokens = await engine.countTokens(text);
    const longer = Math.ceil(((text.length - ANSWER_CHARS) / text.length) * tokens);
    tokensMax = Math.min(tokensMax, tokens) - Math.max(tokens - options.tokensMax, longer);
  }
  return NOTHING_FITS;
}

/** The passages that fit, when a page was read with a question. Those that do not are the least about it. */
async function bestPassages(
  { chunks = [], truncated }: ExtractHit,
  tokensMax: number,
): Promise<{ text: string; isAll: boolean } | undefined> {
  const filled = await fillBudget(chunks, tokensMax, shownPassage);
  if (filled.length === 0) return undefined;
  return {
    text: joinChunks(filled.map(shownPassage)),
    isAll: !truncated && filled.length === chunks.length,
  };
}

function shownPassage<Passage extends Framed>(passage: Passage): Passage {
  const { text, opening, ...rest } = seenPassage(passage);
  return {
    ...rest,
    text: defuse(text),
    ...(opening === undefined ? {} : { opening: defuse(opening) }),
  } as Passage;
}

/** The most tokens for a preface, two tags and a sentence of ours. */
const FRAME_TOKENS = 150;

/** A report that leaves room for fence and frame, within the length that hosts accept. */
export async function reportText(report: ResearchReport, tokensMax: number): Promise<string> {
  const { fitReport } = await import('../../research/report/fit-report.ts');
  return fitReport(report, { tokensMax: tokensMax - FRAME_TOKENS, charsMax: ANSWER_CHARS - 1_000 });
}

/** The shares of the token limit for what surrounds the content. */
const FACTS_SHARE = 0.25;
const NOTES_SHARE = 0.2;
const NOTHING_FITS = own`Nothing fits into max_tokens. Raise it.`;

async function shortened<Text extends string>(
  lines: Text[],
  tokensMax: number,
  engine: ToolEngine,
): Promise<Text[]> {
  if (lines.length === 0) return [];
  const fitted = await engine.fitText(lines.join('\n'), {
    tokensMax: Math.max(LIMITS.fitTokensMin, Math.floor(tokensMax)),
  });
  // Keeps its type when cut at the end.
  return [(fitted.truncated ? `${fitted.text.trimEnd()} …` : fitted.text) as Text];
}

export function answerText(output: AnswerOutput, fence: Fence): SafeText {
  if (output.outcome === 'empty')
    return safe`Nothing known about "${clip(inlineText(output.query), QUERY_CHARS)}". Use web_search instead.`;
  return paragraphs([
    fence.preface,
    fence.around(renderAnswer({ ...output, warnings: [], attempts: [] })),
    ...noted(output),
  ]);
}

/** A page without content: the reason, and what to try instead. */
export function unreadText(output: ExtractOutput, url: string): SafeText {
  const [failed] = output.failed_results;
  if (failed === undefined)
    return safe`${inlineUrl(url)} gave no content. Find another source with web_search.`;
  return paragraphs([
    safe`${inlineUrl(clip(failed.url, 200))}: ${ended(failed.error)} ${UNREAD[failed.code]}`,
    ...noted({ ...output, outcome: 'ok', attempts: [] }),
  ]);
}

/** A failed call: the reason, the providers called, and what to do next. */
export function failureText(error: HeadgateError): OwnText {
  const wait =
    error.retryAfterMs === undefined ? '' : own` Wait ${Math.ceil(error.retryAfterMs / 1_000)} s first.`;
  const next = error.remediation ?? NEXT[error.type];
  return own`${ended(error.message)} ${ended(next)}${wait}`;
}

const NEXT: Record<FailureType, OwnText> = {
  validation: own`Correct the arguments and call again.`,
  authentication: own`Tell the user to run \`headgate doctor\` and check the key.`,
  authorization: own`Tell the user that this key may not do this.`,
  not_found: own`Check the address, or find the page with web_search.`,
  rate_limit: own`Call again later.`,
  quota: own`Tell the user that the limit is used up.`,
  unavailable: own`Call again in a minute, or ask in other words.`,
  timeout: own`Call again, or ask for less.`,
  blocked: own`Do not repeat it now; try another source, or tell the user to set up another provider.`,
  approval: own`Tell the user, who has to approve it; go on without it meanwhile.`,
  payment: own`Nothing was paid. Find another source with web_search.`,
  cancelled: own`Call again if it is still needed.`,
  internal: own`Try once more; if it fails again, tell the user.`,
};

const UNREAD: Record<ExtractCode, OwnText> = {
  INVALID_URL: own`Send a full http:// or https:// URL.`,
  BLOCKED_HOST: own`Only public web addresses can be read.`,
  NEEDS_APPROVAL: own`Tell the user the code, or find another source with web_search.`,
  PAYMENT_REQUIRED: own`Nothing was paid. Find another source with web_search.`,
  NOT_FOUND: own`Find the right page with web_search.`,
  ACCESS_DENIED: own`Find another source with web_search.`,
  TIMEOUT: own`Call again, or find another source with web_search.`,
  PAYLOAD_TOO_LARGE: own`Find a smaller page with web_search.`,
  UNSUPPORTED_TYPE: own`Find a page or PDF with web_search.`,
  NETWORK_ERROR: own`Check the URL, or find another source with web_search.`,
  RATE_LIMITED: own`Wait a minute, then call again.`,
  UNAUTHORIZED: own`Tell the user to check the key with \`headgate doctor\`.`,
  QUOTA_EXCEEDED: own`Tell the user that the limit is used up.`,
  UNAVAILABLE: own`Call again in a minute.`,
  BAD_ANSWER: own`Call again, or find another source with web_search.`,
  EXTRACT_FAILED: own`Find another source with web_search.`,
};

const paragraphs = (parts: SafeText[]): SafeText =>
  joined(
    parts.filter((part) => part !== ''),
    '\n\n',
  );

const noted = (output: Parameters<typeof concerns>[0], reason?: OwnText): SafeText[] =>
  [...(reason === undefined ? [] : [reason]), ...concerns(output)].map(
    (note) => safe`Note: ${clip(lineText(oneLine(defuse(note))), NOTE_CHARS)}`,
  );

const nothingFound = (output: SearchOutput): SafeText =>
  unusable(output)?.en ??
  safe`No results for "${clip(inlineText(output.query), QUERY_CHARS)}". Try fewer or other words, or drop time_range and include_domains.`;

const footer = (output: SearchOutput, count: number): OwnText => {
  if (count === 0) return own``;
  const providers = listed(new Set(output.results.map((result) => named(titleOf(result.provider)))));
  return own`${plural(count, 'result')} from ${providers}.${creditsOf(output.results.slice(0, count))}`;
};

const creditsOf = (hits: SearchHit[]): OwnText => {
  const licences = licencesOf(hits.flatMap((hit) => hit.found_by ?? [hit.provider]));
  return licences.length === 0 ? own`` : own` Licences: ${listed(licences, ' · ')}.`;
};

const list = (output: SearchOutput, shown: SearchHit[]): string =>
  [...(output.answer === null ? [] : [`Answer: ${defuse(blockText(output.answer))}`]), items(shown)].join(
    '\n\n',
  );

const items = (hits: SearchHit[]): string => hits.map(item).join('\n\n');

const item = (result: SearchHit, index: number): string =>
  [
    `${index + 1}. ${inlineText(clip(defuse(result.title), TITLE_CHARS))}`,
    `${defuse(inlineUrl(result.url))}${result.published_date === undefined ? '' : ` (${inlineText(result.published_date.slice(0, 10))})`}`,
    inlineText(defuse(result.content)),
  ]
    .filter((line) => line !== '')
    .join('\n');

const factsOf = (page: ExtractHit): string[] => {
  const line = (name: string, value: string | undefined): string[] =>
    value === undefined || value.trim() === ''
      ? []
      : [`${name}: ${oneLine(clip(defuse(value), TITLE_CHARS))}`];
  return [
    ...line('Title', page.title),
    ...line('URL', inlineUrl(page.url)),
    ...line('Author', page.byline),
    ...line('Published', page.published_date),
    ...(isSameDay(page.published_date, page.modified_date) ? [] : line('Updated', page.modified_date)),
  ];
};

const isSameDay = (first: string | undefined, second: string | undefined): boolean =>
  first?.slice(0, 10) === second?.slice(0, 10);
