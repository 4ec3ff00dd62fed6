import { z } from 'zod';
import { flag, integer } from '../contract/fields.ts';
import { requiredUrl } from '../providers/kit/base-url.ts';
import { secret, textLeaf } from './leaf.ts';

/** The `[model]` section. Nothing is sent to a model unless one is configured. */
export const model = z
  .strictObject({
    provider: z
      .enum(['none', 'openai', 'anthropic'])
      .default('none')
      .describe(
        'The language model for research and `include_answer`: none, any OpenAI-compatible endpoint, or Anthropic.',
      ),
    base_url: requiredUrl()
      .optional()
      .describe('The address of the endpoint; by default the provider’s own.'),
    api_key: secret()
      .optional()
      .describe('Its key. Unset: OPENAI_API_KEY or ANTHROPIC_API_KEY, depending on the provider.'),
    model: textLeaf().optional().describe('The name of the model at that endpoint.'),
    max_output_tokens: integer(256, 64_000).default(4_000).describe('The longest answer to one task.'),
    timeout_ms: integer(1_000, 600_000).default(120_000).describe('How long one answer may take.'),
    sampling: flag()
      .default(true)
      .describe('Without a provider: whether research may use the model of an MCP client (sampling).'),
  })
  .prefault({} as never);
