import { anthropic } from './anthropic.ts';
import type { ModelApi } from './model.ts';
import { openai } from './openai.ts';

/** Every supported model API. */
export const modelApis: ModelApi[] = [openai, anthropic];
