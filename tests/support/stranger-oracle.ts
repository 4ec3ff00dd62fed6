import { CANARY } from './hostile-texts.ts';

/**
 * Decides whether words of strangers stand where Headgate speaks. It knows the formats from their specifications and nothing of
 * how they are escaped.
 */

export interface ToolAnswer {
  text: string;
  meta: Record<string, unknown>;
  isError: boolean;
}

/** What stands outside of the fence, when there is one. */
export function outsideFence(text: string): string {
  const [, mark] = /Between the <(web-[0-9a-f]{16})> marks/.exec(text) ?? [];
  if (mark === undefined) return text;
  const [start, end] = [text.indexOf(`\n<${mark}>\n`), text.indexOf(`\n</${mark}>`)];
  return start < 0 || end < start ? text : text.slice(0, start) + text.slice(end);
}

/** The beginnings of lines by which a reader of each format finds its way. */
const STRUCTURE: Record<string, RegExp> = {
  tavily:
    /^(?:(?:Detailed Results|Crawl Results|Site Map Results|Failed|Not read|Images|Crawled Pages|Mapped Pages|Title|Base URL|URL|\[\d+\] ?URL|Raw Content|Content|Answer|Favicon|Image|Description|Note) ?:|\[ ?More follows)/i,
  'tavily-ja':
    /^(?:#{1,6} ?(?:検索結果|\d+\.|コンテンツ抽出結果|URL:|失敗したURL|RAG用検索コンテキスト)|URL:|スコア:|> ?(?:警告|提供元|続きか?))/i,
  websearch: /^(?:#{1,6} |\*\*URL:|\*\*Source:|_Source: |> |---|- )/,
  cli: /^(?:\d+\. |! |headgate:|---|<!-- )/,
};

/** Letters of other scripts that are taken for Latin ones. */
const TAKEN_FOR = new Map([...'ТеоаАсСНwе∶'].map((char, index) => [char, 'TeoaAcCHwe:'[index] ?? char]));

/** A line as a reader sees it: without what cannot be seen, in the letters that it looks like. */
const seen = (line: string): string =>
  [
    ...line
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}]/gu, '')
      .replace(/[\s\u2800]+/gu, ' '),
  ]
    .map((char) => TAKEN_FOR.get(char) ?? char)
    .join('')
    .trim();

/** The lines of a text that a reader takes for the format's own. */
export function skeleton(format: string, text: string): string[] {
  const structure = STRUCTURE[format];
  if (structure === undefined) throw new Error(`Nothing is known of the format of ${format}.`);
  return text
    .split(/\r\n|[\n\r\u000B\u000C\u0085\u2028\u2029]/)
    .flatMap((line) => structure.exec(seen(line))?.[0] ?? []);
}

const OWN_FIELDS = new Set([
  'error',
  'warnings',
  'reason',
  'remediation',
  'message',
  'detail',
  'note',
  'attempts',
  'next_action',
  'failure_error',
]);

/** Every text of a value under a name of ours for what we say ourselves. */
export function ownTexts(value: unknown, isOwn = false): string[] {
  if (typeof value === 'string') return isOwn ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => ownTexts(below, isOwn || OWN_FIELDS.has(name)));
}

export const speaks = (texts: string | string[]): boolean => [texts].flat().join('\n').includes(CANARY);

export const UNPRINTABLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u200B\uFEFF\u2028\u2029]|[\u{E0000}-\u{E0FFF}]/u;

/** What is wrong with the answer of a tool, compared with the answer to the same question from harmless strangers. */
export function problemsOf(toolset: string, answer: ToolAnswer, twin: ToolAnswer): string[] {
  const problems: string[] = [];
  if (UNPRINTABLE.test(answer.text)) problems.push('characters that cannot be seen');
  if (speaks(ownTexts({ meta: answer.meta }))) problems.push('_meta speaks its words');
  if (answer.isError !== twin.isError) problems.push('fails');
  if (answer.isError)
    return speaks(outsideFence(answer.text)) ? [...problems, 'the failure speaks its words'] : problems;
  if (answer.meta['trust'] !== 'untrusted_web') problems.push('no mark in _meta');
  if (toolset === 'research') return [...problems, ...inEnvelope(answer.text)];
  if (toolset === 'chatgpt')
    return speaks(ownTexts(JSON.parse(answer.text))) ? [...problems, 'its own fields speak'] : problems;
  const outside = outsideFence(answer.text);
  if (toolset === 'default' || toolset === 'agent')
    return speaks(outside) ? [...problems, `outside of the fence: ${outside}`] : problems;
  const [lines, expected] = [skeleton(toolset, answer.text), skeleton(toolset, twin.text)];
  if (lines.some((line) => countOf(line, lines) > countOf(line, expected)))
    problems.push(`lines ${JSON.stringify(lines)} instead of ${JSON.stringify(expected)} in ${answer.text}`);
  return problems;
}

const countOf = (line: string, lines: string[]): number => lines.filter((one) => one === line).length;

/** A JSON envelope: strangers speak in its data, not in its own fields. */
function inEnvelope(text: string): string[] {
  const { data, ...rest } = JSON.parse(text) as { data: unknown };
  return speaks(JSON.stringify(rest)) || speaks(ownTexts(data))
    ? [`the envelope speaks its words: ${text}`]
    : [];
}
