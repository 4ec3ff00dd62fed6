import { HeadgateError } from '../core/errors.ts';
import type { KeyScope } from '../core/grant.ts';
import { LIMITS } from '../core/limits.ts';
import { asked, own } from '../core/own-text.ts';
import { clip, oneLine } from '../core/text.ts';
import { OFFERED, type ToolsetLanguage } from './offered.ts';
import type { Toolset } from './tool.ts';

export const ARGUMENT_CHARS_MAX = 2_000;

type Given = Record<string, string | undefined>;

/** The names of the tools that a prompt tells the model to use; a toolset may lack some. */
interface Named {
  search: string | undefined;
  read: string | undefined;
  research: string | undefined;
}

/** The text of a prompt, in the language of the toolset. Arguments are checked and end up on one line each. */
export function promptText(
  name: string,
  input: Record<string, string>,
  { language = 'en', tools }: Pick<Toolset, 'language' | 'tools'>,
): string {
  const prompt = OFFERED[language].prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const known = OFFERED[language].prompts.map((one) => one.name).join(', ');
    throw new HeadgateError('not_found', own`There is no prompt "${asked(name)}".`, {
      remediation: own`Use one of ${asked(known)}.`,
    });
  }
  const given: Given = {};
  for (const { name: field, required = false } of prompt.arguments) {
    const value = oneLine(input[field] ?? '');
    if (value === '' && required)
      throw new HeadgateError('invalid_request', own`${asked(field)}: is missing.`);
    if (value.length > ARGUMENT_CHARS_MAX)
      throw new HeadgateError(
        'invalid_request',
        own`${asked(field)}: is longer than ${ARGUMENT_CHARS_MAX} characters.`,
      );
    given[field] = value === '' ? undefined : value;
  }
  const named = (scope: KeyScope): string | undefined => tools.find((tool) => tool.scope === scope)?.name;
  const toolNames = { search: named('search'), read: named('extract'), research: named('research') };
  const lines = TEXTS[language][name as PromptName](given, toolNames);
  return clip(lines.filter((line) => line !== undefined).join('\n'), LIMITS.toolTextCharsMax);
}

type PromptName = 'research_question' | 'check_quote' | 'compare_sources';
type Texts = Record<PromptName, (given: Given, tools: Named) => (string | undefined)[]>;

const TEXTS: Record<ToolsetLanguage, Texts> = {
  en: {
    research_question: ({ question, mode }, tools) => [
      `Research this question and answer it: ${question}`,
      '',
      tools.research === undefined
        ? `Search it in several wordings${using(tools.search)}, and read the best results${using(tools.read)}.`
        : `Start with ${tools.research}${mode === undefined ? '' : ` (mode: ${mode})`}. Then read the sources that matter most${using(tools.read)}.`,
      'Cite a source for every statement. Say where sources contradict each other, and what could not be found.',
    ],
    check_quote: ({ quote, url, research }, tools) => [
      `Check whether this is quoted correctly: “${quote}”`,
      '',
      url === undefined
        ? undefined
        : `Read ${url}${using(tools.read)} and look for these words, and for the passage closest to them.`,
      research === undefined
        ? undefined
        : `The report of the research ${research} is attached. Find the source that it takes the words from, and read that.`,
      url === undefined && research === undefined
        ? `Search for the exact words${using(tools.search)}, and read the pages that could be their origin${using(tools.read)}.`
        : undefined,
      'Answer with one of: exact, altered, out of context, not found. Show the words of the source beside the quote.',
    ],
    compare_sources: ({ question, urls }, tools) => [
      `Compare what sources say about this: ${question}`,
      '',
      urls === undefined
        ? `Find at least three independent sources${using(tools.search)}, and read them${using(tools.read)}.`
        : `Read each of these pages${using(tools.read)}: ${urls}`,
      'Give a table: source, date, what it says, in its own words. Then say where they agree, where they contradict each other, and which you would rely on.',
    ],
  },
  ja: {
    research_question: ({ question, mode }, tools) => [
      `次の質問を調べて答えてください: ${question}`,
      '',
      tools.research === undefined
        ? `${by(tools.search)}いくつかの言い方で検索し、${by(tools.read)}有力な結果を読んでください。`
        : `まず${by(tools.research)}調査してください${mode === undefined ? '' : `（mode: ${mode}）`}。次に${by(tools.read)}重要な情報源を読んでください。`,
      'すべての記述に出典を付け、情報源の矛盾と、見つからなかったことを示してください。',
    ],
    check_quote: ({ quote, url, research }, tools) => [
      `次の引用が正しいか確かめてください: 「${quote}」`,
      '',
      url === undefined
        ? undefined
        : `${by(tools.read)} ${url} を読み、この言葉と、最も近い箇所を探してください。`,
      research === undefined
        ? undefined
        : `調査 ${research} のレポートを添付します。この言葉の情報源を見つけて読んでください。`,
      url === undefined && research === undefined
        ? `${by(tools.search)}この言葉をそのまま検索し、${by(tools.read)}出典と思われるページを読んでください。`
        : undefined,
      '「正確」「改変」「文脈の無視」「見つからない」のいずれかで答え、引用と情報源の言葉を並べて示してください。',
    ],
    compare_sources: ({ question, urls }, tools) => [
      `次の点について情報源を比べてください: ${question}`,
      '',
      urls === undefined
        ? `${by(tools.search)}互いに独立した情報源を三つ以上探し、${by(tools.read)}読んでください。`
        : `${by(tools.read)}次のページをそれぞれ読んでください: ${urls}`,
      '情報源、日付、その内容（原文の言葉）を表にし、一致点、矛盾点、どれが信頼できるかを示してください。',
    ],
  },
};

const using = (tool: string | undefined): string => (tool === undefined ? '' : ` with ${tool}`);
const by = (tool: string | undefined): string => (tool === undefined ? '' : `${tool} で`);
