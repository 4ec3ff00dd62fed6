import { z } from 'zod';
import { own } from '../core/own-text.ts';
import { readBody, tokensUsed, type ModelApi } from './model.ts';

const answer = z.object({
  choices: z
    .array(
      z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

/** The chat completions API of OpenAI and compatible servers (Ollama, vLLM, llama.cpp, OpenRouter …). */
export const openai: ModelApi = {
  id: 'openai',
  title: own`The OpenAI-compatible model`,
  baseUrl: 'https://api.openai.com/v1',
  request: ({ system, prompt, tokensMax }, { baseUrl, apiKey, model }) => ({
    method: 'POST',
    url: `${baseUrl}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
      // OpenAI refuses the old name for its newer models; compatible servers know only the old one.
      [new URL(baseUrl).hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens']: tokensMax,
    }),
  }),
  parse: (response) => {
    const read = readBody(answer, response.body);
    const [choice] = read?.choices ?? [];
    if (read === undefined || typeof choice?.message.content !== 'string') return undefined;
    return {
      text: choice.message.content,
      tokens: tokensUsed(read.usage?.prompt_tokens, read.usage?.completion_tokens),
      isCut: choice.finish_reason === 'length',
    };
  },
};
