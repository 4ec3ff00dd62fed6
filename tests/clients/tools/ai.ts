import type { LanguageModel } from 'ai';
import { languageModel } from './language-model.ts';
import { abortSignal, apiKey, baseUrl, end, prompt } from './script.ts';

const model = languageModel as unknown as LanguageModel;
// EXAMPLE
end(text);
