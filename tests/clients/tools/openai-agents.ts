import { setTracingDisabled, Usage, type Model } from '@openai/agents';
import { abortSignal, apiKey, baseUrl, end, nextStep, prompt } from './script.ts';

setTracingDisabled(true);
const model: Model = {
  getResponse: async ({ input, tools }) => {
    const step = nextStep(tools, input);
    const output =
      step === undefined
        ? {
            type: 'message' as const,
            role: 'assistant' as const,
            status: 'completed' as const,
            content: [{ type: 'output_text' as const, text: 'In 1742.' }],
          }
        : {
            type: 'function_call' as const,
            callId: step.id,
            name: step.name,
            status: 'completed' as const,
            arguments: JSON.stringify(step.input),
          };
    return { usage: new Usage(), output: [output] };
  },
  getStreamedResponse: () => {
    throw new Error('The example does not stream.');
  },
};
// EXAMPLE
end(finalOutput);
