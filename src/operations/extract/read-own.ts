import type { Ctx } from '../../routing/services.ts';
import type { ExtractHit, ExtractInput } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { asked, named, own, warned } from '../../core/own-text.ts';
import { clip, type OwnText, plural } from '../../core/text.ts';
import { hostOf } from '../../core/url.ts';
import { speaksToMachines } from '../../evidence/sentences.ts';
import { joinChunks } from '../../rank/join.ts';
import { rankChunks } from '../../rank/rank.ts';
import type { ReadPageRecord } from './archive.ts';
import { commonCause, type FailedPage, type ReadBatch } from './read-batch.ts';
import { extractCodeOf, readPage, type ReadPage } from './read.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';
import { spend } from '../../routing/spend.ts';

/** The built-in reader. Each URL is read by itself, three at a time; a failure affects only its URL. */
export async function readOwn(
  ready: ReadyProvider,
  urls: string[],
  input: ExtractInput,
  ctx: Ctx<Services>,
): Promise<ReadBatch> {
  const { call, services } = ctx;
  const candidate = { id: ready.provider.id, ready, key: undefined, label: undefined };
  const warnings: OwnText[][] = [];
  const pages: ReadPageRecord[] = [];
  const errors: HeadgateError[] = [];
  let done = 0;
  let replayed: ReadPage['replayed'];
  const report = (url: string, error?: HeadgateError): void => {
    done += 1;
    if (urls.length === 1) return;
    const message = error === undefined ? asked(url) : own`${asked(url)}: ${error.message}`;
    call.progress?.({ done, total: urls.length, message, isWarning: error !== undefined });
  };
  const settled = await Promise.all(
    urls.map(async (url, at): Promise<ExtractHit | FailedPage> => {
      try {
        const estimate = { category: 'fetch', credits: 1 } as const;
        const { page } = await spend(candidate, estimate, ctx, async (paid) => ({
          page: await readPage(
            url,
            { call: paid, services },
            { isRendered: input.extract_depth === 'advanced' },
          ),
          credits: 1,
        }));
        const hit = hitOf(url, page, input);
        warnings[at] = warningsOf(hit, page);
        replayed ??= page.replayed;
        if (page.quality === 'ok') pages.push(keptPage(url, page));
        report(url);
        return hit;
      } catch (thrown) {
        const error = HeadgateError.from(thrown);
        // Only the caller's cancellation ends the whole call; a timeout fails one page.
        if (error.code === 'cancelled' || error.type === 'internal') throw error;
        errors.push(error);
        report(url, error);
        return { url, error: error.explanation, code: extractCodeOf(error) };
      }
    }),
  );
  const hits = settled.filter((one): one is ExtractHit => 'raw_content' in one);
  const refusal = errors.length === urls.length ? commonCause(errors, ['quota']) : undefined;
  return {
    hits,
    pages,
    ...(refusal === undefined ? {} : { refusal }),
    ...(replayed === undefined ? {} : { replayed }),
    failed: settled.filter((one): one is FailedPage => 'code' in one),
    credits: 0,
    warnings: warnings.flat(),
  };
}

const keptPage = (url: string, page: ReadPage): ReadPageRecord => ({
  url,
  title: page.title || hostOf(page.finalUrl),
  content: page.markdown,
  format: 'markdown',
  publishedDate: page.publishedDate,
});

/** Warnings about a page; hidden text may be a prompt injection. */
export const warningsOf = ({ url }: ExtractHit, page: ReadPage): OwnText[] => [
  ...page.warnings.map((warning) => warned`${asked(url)}: ${warning}`),
  ...(page.hiddenTextRemoved === 0
    ? []
    : [
        warned`${asked(url)}: ${plural(page.hiddenTextRemoved, 'character')} of text hidden from readers left out.`,
      ]),
];

/** Converts a page to a result with the requested format and passages. */
export function hitOf(url: string, page: ReadPage, input: ExtractInput): ExtractHit {
  const content = input.format === 'text' ? page.text : page.markdown;
  const chunks = input.query === undefined ? undefined : bestChunks(input.query, page, content, input);
  return {
    url,
    title: page.title || hostOf(page.finalUrl),
    raw_content: chunks === undefined ? content : joinChunks(chunks),
    images: input.include_images === true ? page.images.map((image) => image.url) : [],
    ...(input.include_favicon === true && page.favicon !== undefined ? { favicon: page.favicon } : {}),
    ...factsOf(page),
    ...(chunks === undefined ? {} : { chunks }),
    ...(page.usage === undefined ? {} : { usage: page.usage }),
    ...(page.hiddenTextRemoved === 0 ? {} : { removed_chars: page.hiddenTextRemoved }),
    ...(input.include_removed === true && page.removed !== undefined
      ? { removed: page.removed.map(({ why, excerpt }) => ({ why: named(why), excerpt })) }
      : {}),
    ...(input.include_removed === true ? instructionsIn(content) : {}),
    outcome: page.quality,
    ...(page.reason === undefined ? {} : { reason: page.reason }),
    truncated: false,
    provider: 'headgate',
    trust: 'untrusted_web',
  };
}

const [INSTRUCTIONS_MAX, INSTRUCTION_CHARS] = [20, 200];

/** What a page says to a model. */
function instructionsIn(text: string): Pick<ExtractHit, 'instructions'> {
  const found = text.split(/(?<=[.!?。！？])\s+|\n+/u).filter(speaksToMachines);
  if (found.length === 0) return {};
  return { instructions: found.slice(0, INSTRUCTIONS_MAX).map((one) => clip(one.trim(), INSTRUCTION_CHARS)) };
}

function factsOf(page: ReadPage): Partial<ExtractHit> {
  const facts: Partial<ExtractHit> = {
    description: page.description,
    byline: page.byline,
    published_date: page.publishedDate,
    modified_date: page.modifiedDate,
    language: page.language,
    site_name: page.siteName,
    canonical_url: page.canonicalUrl,
    image: page.leadImage,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function bestChunks(
  query: string,
  page: ReadPage,
  content: string,
  input: ExtractInput,
): NonNullable<ExtractHit['chunks']> {
  const [ranked] = rankChunks(query, [{ id: page.finalUrl, title: page.title, content }], {
    ...(input.chunks_per_source === undefined && input.max_tokens !== undefined
      ? { tokensMax: input.max_tokens }
      : { chunksPerSource: input.chunks_per_source ?? 3 }),
    format: input.format,
  });
  return ranked?.chunks ?? [];
}
