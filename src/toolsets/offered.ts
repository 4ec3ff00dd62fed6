import type { OfferedPrompt, OfferedTemplate } from '../bridge/mcp/offers.ts';

/**
 * The prompts and resource templates that every toolset has besides its tools. They are plain data, because the front lists them
 * before anything is loaded.
 */
export type ToolsetLanguage = 'en' | 'ja';

/** One research, one call, or a page of calls. */
export const RESEARCH = 'headgate://research/';
export const CALLS = 'headgate://calls';

export const OFFERED: Record<ToolsetLanguage, { prompts: OfferedPrompt[]; templates: OfferedTemplate[] }> = {
  en: {
    prompts: [
      {
        name: 'research_question',
        title: 'Research a question',
        description: 'Answer a question from several sources, with a citation for every statement.',
        arguments: [
          { name: 'question', description: 'The question to answer.', required: true },
          { name: 'mode', description: 'general, academic or technical.' },
        ],
      },
      {
        name: 'check_quote',
        title: 'Check a quote',
        description: 'Find out whether a source really says something, and in which words.',
        arguments: [
          { name: 'quote', description: 'The words to check.', required: true },
          { name: 'url', description: 'The page that is said to contain them.' },
          { name: 'research', description: 'The ID of a research whose report is said to contain them.' },
        ],
      },
      {
        name: 'compare_sources',
        title: 'Compare sources',
        description: 'Show where sources agree, where they contradict each other, and which is newer.',
        arguments: [
          { name: 'question', description: 'What the sources are compared on.', required: true },
          { name: 'urls', description: 'The pages to compare, separated by spaces.' },
        ],
      },
    ],
    templates: [
      {
        uriTemplate: `${RESEARCH}{id}`,
        name: 'research',
        title: 'Research report',
        description: 'The report of a research of this workspace.',
        mimeType: 'text/markdown',
      },
      {
        uriTemplate: `${CALLS}/{request}`,
        name: 'call',
        title: 'Call',
        description: 'A call of this workspace: what was asked of which provider, its outcome and its cost.',
        mimeType: 'application/json',
      },
      {
        uriTemplate: `${CALLS}{?before}`,
        name: 'calls',
        title: 'Earlier calls',
        description:
          'Calls of this workspace, newest first. `next` of a page is the address of the next one.',
        mimeType: 'application/json',
      },
    ],
  },
  ja: {
    prompts: [
      {
        name: 'research_question',
        title: '質問を調べる',
        description: '複数の情報源から質問に答え、すべての記述に出典を付けます。',
        arguments: [
          { name: 'question', description: '調べる質問。', required: true },
          { name: 'mode', description: 'general、academic、technical のいずれか。' },
        ],
      },
      {
        name: 'check_quote',
        title: '引用を確かめる',
        description: '情報源に本当にその記述があるか、どのような言葉で書かれているかを確かめます。',
        arguments: [
          { name: 'quote', description: '確かめる言葉。', required: true },
          { name: 'url', description: 'その言葉が載っているとされるページ。' },
          { name: 'research', description: 'その言葉が載っているとされる調査のID。' },
        ],
      },
      {
        name: 'compare_sources',
        title: '情報源を比べる',
        description: '情報源の一致点、矛盾点、新しさを示します。',
        arguments: [
          { name: 'question', description: '比べる論点。', required: true },
          { name: 'urls', description: '比べるページ。空白で区切ります。' },
        ],
      },
    ],
    templates: [
      {
        uriTemplate: `${RESEARCH}{id}`,
        name: 'research',
        title: '調査レポート',
        description: 'このワークスペースの調査のレポート。',
        mimeType: 'text/markdown',
      },
      {
        uriTemplate: `${CALLS}/{request}`,
        name: 'call',
        title: '呼び出し',
        description: 'このワークスペースの呼び出し。プロバイダー、結果、費用を示します。',
        mimeType: 'application/json',
      },
      {
        uriTemplate: `${CALLS}{?before}`,
        name: 'calls',
        title: '以前の呼び出し',
        description: 'このワークスペースの呼び出しを新しい順に示します。`next` は次のページのアドレスです。',
        mimeType: 'application/json',
      },
    ],
  },
};
