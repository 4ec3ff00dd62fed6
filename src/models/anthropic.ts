import { z } from 'zod';
import { own } from '../core/own-text.ts';
import { readBody, tokensUsed, type ModelApi } from './model.ts';

const answer = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
});

const VERSION = '2023-06-01';

/** Anthropic's Messages API. */
export const anthropic: ModelApi = {
  id: 'anthropic',
  title: own`Anthropic`,
  baseUrl: 'https://api.anthropic.com',
  request: ({ system, prompt, tokensMax }, { baseUrl, apiKey, model }) => ({
    method: 'POST',
    url: `${baseUrl}/v1/messages`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'anthropic-version': VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    },
    body: JSON.stringify({
      model,
      system,
      max_tokens: tokensMax,
      messages: [{ role: 'user', content: prompt }],
    }),
  }),
  parse: (response) => {
    const read = readBody(answer, response.body);
    if (read === undefined) return undefined;
    const text = read.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('');
    const tokens = tokensUsed(read.usage?.input_tokens, read.usage?.output_tokens);
    return text === '' ? undefined : { text, tokens, isCut: read.stop_reason === 'max_tokens' };
  },
};
