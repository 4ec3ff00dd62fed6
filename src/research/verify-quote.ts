import type { Ctx } from '../routing/services.ts';
import { verifyQuoteContract, type VerifyQuoteInput, type VerifyQuoteOutput } from '../contract/research.ts';
import { HeadgateError } from '../core/errors.ts';
import { asked, named, own } from '../core/own-text.ts';
import { rankChunks } from '../rank/rank.ts';
import { extract } from '../operations/extract/extract.ts';
import { defineOperation } from '../operations/operation.ts';
import { perform } from '../operations/perform.ts';
import type { Services } from '../operations/services.ts';
import { findQuote } from '../evidence/quote.ts';
import { sha256 } from './state.ts';

/** Checks whether a page, or a source of a research, contains a quote. */
export const verifyQuote = defineOperation({
  contract: verifyQuoteContract,
  scope: 'research',
  webTools: ['fetch'],
  run: runVerify,
});

interface Text {
  id?: string;
  url: string;
  text: string;
}

async function runVerify(input: VerifyQuoteInput, ctx: Ctx<Services>): Promise<VerifyQuoteOutput> {
  const texts = await textsFor(input, ctx);
  for (const { id, url, text } of texts) {
    const place = findQuote(input.quote, text);
    if (place === undefined) continue;
    const { match, start, end } = place;
    const found = text.slice(start, end);
    return { verified: true, match, url, ...sourceId(id), hash: sha256(text), start, end, found };
  }
  const only = texts.length === 1 ? texts[0] : undefined;
  const closest = closestTo(input.quote, texts);
  return {
    verified: false,
    match: 'none',
    ...(only === undefined ? {} : { url: only.url, ...sourceId(only.id), hash: sha256(only.text) }),
    ...(closest === undefined ? {} : { closest }),
  };
}

async function textsFor(input: VerifyQuoteInput, ctx: Ctx<Services>): Promise<Text[]> {
  const { call, services } = ctx;
  const { url, research_id: research, source_id: source } = input;
  if ((url === undefined) === (research === undefined))
    throw new HeadgateError(
      'invalid_request',
      'Send either url or research_id, to say where to look for the quote.',
    );
  if (url !== undefined) {
    const output = await perform(extract, { urls: [url] }, ctx);
    const [page] = output.results;
    if (page !== undefined) return [{ url: page.url, text: page.raw_content }];
    const reason = named(output.failed_results[0]?.error ?? 'nothing was read');
    throw new HeadgateError('extract_failed', own`${asked(url)} could not be read: ${reason}`);
  }
  const sources = await services.research.sources(research ?? '', call);
  const wanted = source === undefined ? sources : sources.filter(({ id }) => id === source);
  if (wanted.length > 0) return wanted;
  throw new HeadgateError('not_found', own`This research has no source ${asked(source ?? 'yet')}.`, {
    remediation: 'Take a source id from its report.',
  });
}

function closestTo(quote: string, texts: Text[]): string | undefined {
  const documents = texts.map(({ text }, index) => ({ id: String(index), content: text }));
  const [best] = rankChunks(quote, documents, { chunksPerSource: 1 });
  return best === undefined || best.score === 0 ? undefined : best.chunks[0]?.text;
}

const sourceId = (id: string | undefined): { source_id?: string } =>
  id === undefined ? {} : { source_id: id };
