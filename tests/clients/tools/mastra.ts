import type { MastraModelConfig } from '@mastra/core/llm';
import { languageModel } from './language-model.ts';
import { abortSignal, apiKey, baseUrl, end, prompt } from './script.ts';

const model = languageModel as unknown as MastraModelConfig;
// EXAMPLE
end(text);
