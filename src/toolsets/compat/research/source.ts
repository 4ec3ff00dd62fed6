import type { ExtractHit } from '../../../contract/extract.ts';
import type { SearchHit } from '../../../contract/search.ts';
import { cleanText, unbrokenLine } from '../../../core/text.ts';
import { framed } from '../../../rank/frame.ts';

/** A source in a result of the `research` tool (research spec 4.1). */
export interface SourceV2 {
  url: string;
  title: string;
  source_type: 'web';
  snippet: string | null;
  content: string | null;
  metadata: Record<string, unknown>;
}

const TITLE_CHARS = 500;
const SNIPPET_CHARS = 500;
const CONTENT_CHARS = 50_000;
const IMAGES = 10;
/** How Tavily joins the passages of a page. */
const JOINT = ' [...] ';

/** One source per page, its passages joined. */
export function sourceOfPage(
  page: ExtractHit,
  options: { extract_depth: string; format: string; hasQuery: boolean },
): SourceV2 {
  const chunks = chunksOf(page, options.hasQuery);
  const whole = chunks.join('\n\n');
  const content = begin(whole, CONTENT_CHARS);
  return {
    url: page.url,
    title: titleOf(page.title, page.url),
    source_type: 'web',
    snippet: begin(chunks[0] ?? '', SNIPPET_CHARS),
    content,
    metadata: {
      extract_depth: options.extract_depth,
      chunk_count: chunks.length,
      format: options.format,
      images: page.images.length === 0 ? null : page.images.slice(0, IMAGES),
      favicon: page.favicon ?? null,
      truncated: page.truncated || content.length < whole.length,
    },
  };
}

/** One source per result. */
export function sourceOfHit(hit: SearchHit): SourceV2 {
  const whole = hit.raw_content === null ? null : cleanText(hit.raw_content);
  const content = whole === null ? null : begin(whole, CONTENT_CHARS);
  return {
    url: hit.url,
    title: begin(unbrokenLine(hit.title), TITLE_CHARS, '...') || 'Untitled',
    source_type: 'web',
    snippet: cleanText(hit.content),
    content,
    metadata: {
      ...(hit.score_by === 'rank' ? {} : { score: hit.score }),
      ...(hit.provider === 'tavily' && hit.score_by !== 'rank' ? { tavily_score: hit.score } : {}),
      published_date: hit.published_date ?? null,
      source: URL.parse(hit.url)?.host ?? null,
      provider: hit.provider,
      ...(hit.favicon === undefined ? {} : { favicon: hit.favicon }),
      ...(hit.images === undefined ? {} : { images: hit.images.slice(0, IMAGES) }),
      truncated: content !== whole,
    },
  };
}

function chunksOf(page: ExtractHit, hasQuery: boolean): string[] {
  const chunks =
    page.chunks?.map((chunk) => framed(chunk)) ??
    (hasQuery ? page.raw_content.split(JOINT) : [page.raw_content]);
  return chunks.map((chunk) => cleanText(chunk).trim()).filter((chunk) => chunk !== '');
}

const titleOf = (title: string, url: string): string =>
  begin(unbrokenLine(title), TITLE_CHARS, '...') || URL.parse(url)?.host || 'Extracted Content';

/** At most `max` characters, never half of one. */
function begin(text: string, max: number, mark = ''): string {
  if (text.length <= max) return text;
  const end = max - mark.length;
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end) + mark;
}
