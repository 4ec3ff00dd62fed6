// A scripted stand-in for a language model, so that the examples run without a key: it searches once, then answers from what it read,
// with citations. In your program, use a real model instead, such as `openai('gpt-5')` of @ai-sdk/openai.
import type { LanguageModel } from 'ai';
import type { Model } from '@openai/agents';

/** What the model does next, given everything that it has read so far. */
export function nextStep(read: string, question: string): { search: string } | { answer: string } {
  const urls = [...new Set(read.match(/https:\/\/[^\s"\\)<]+\/\d+/g) ?? [])].slice(0, 2);
  if (urls.length === 0) return { search: question };
  const sources = urls.map((url, index) => `[${index + 1}] ${url}`).join('\n');
  return { answer: `Two pages are about ${question} [1][2].\n\n${sources}` };
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

export const aiSdkModel = (question: string): LanguageModel =>
  ({
    specificationVersion: 'v2',
    provider: 'example',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }: { prompt: unknown }) => {
      const step = nextStep(JSON.stringify(prompt), question);
      const call = { type: 'tool-call', toolCallId: 'call-1', toolName: 'web_search' };
      return 'answer' in step
        ? { finishReason: 'stop', content: [{ type: 'text', text: step.answer }], usage, warnings: [] }
        : {
            finishReason: 'tool-calls',
            content: [{ ...call, input: JSON.stringify({ query: step.search, max_results: 3 }) }],
            usage,
            warnings: [],
          };
    },
  }) as unknown as LanguageModel;

export const openAiModel = (question: string): Model => ({
  getResponse: async ({ input }) => {
    const step = nextStep(JSON.stringify(input), question);
    const output =
      'answer' in step
        ? {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: step.answer }],
          }
        : {
            type: 'function_call',
            callId: 'call-1',
            name: 'web_search',
            status: 'completed',
            arguments: JSON.stringify({ query: step.search, max_results: 3 }),
          };
    const details = { inputTokensDetails: [], outputTokensDetails: [] };
    const spent = { requests: 1, ...usage, ...details, add: () => undefined };
    return { usage: spent, output: [output] } as unknown as Awaited<ReturnType<Model['getResponse']>>;
  },
  getStreamedResponse: () => {
    throw new Error('The examples do not stream.');
  },
});
