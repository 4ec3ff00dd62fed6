import { nextStep } from './script.ts';

interface Options {
  tools?: unknown;
  prompt: unknown;
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

function contentOf({ tools, prompt }: Options) {
  const step = nextStep(tools, prompt);
  return step === undefined
    ? { finishReason: 'stop', content: [{ type: 'text' as const, text: 'In 1742.' }] }
    : {
        finishReason: 'tool-calls',
        content: [
          {
            type: 'tool-call' as const,
            toolCallId: step.id,
            toolName: step.name,
            input: JSON.stringify(step.input),
          },
        ],
      };
}

/** A model of the AI SDK, of the version of the specification that every major accepts. */
export const languageModel = {
  specificationVersion: 'v2',
  provider: 'test',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: async (options: Options) => ({ ...contentOf(options), usage, warnings: [] }),
  doStream: async (options: Options) => {
    const { content, finishReason } = contentOf(options);
    const parts = content.flatMap((one): object[] =>
      one.type === 'text'
        ? [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: one.text },
            { type: 'text-end', id: '1' },
          ]
        : [one],
    );
    const all = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
    const stream = new ReadableStream({
      start: (queue) => {
        for (const part of all) queue.enqueue(part);
        queue.close();
      },
    });
    return { stream };
  },
};
