import { z } from 'zod';
import { integer, flag } from '../contract/fields.ts';
import { countryCode } from '../core/countries.ts';
import { booleanLeaf, textLeaf, ratio, secrets, list, secret } from './leaf.ts';
import { requiredUrl } from '../providers/kit/base-url.ts';

const words = <const Words extends readonly [string, ...string[]]>(values: Words) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase().replaceAll('-', '_') : value),
    z.enum(values),
  );

/** The `[research]` section (research spec 6.5). Absent keys stay unset, so that the mode decides. */
export const researchSection = z
  .strictObject({
    deep_research_mode: words(['general', 'academic', 'technical'])
      .default('general')
      .describe('The research mode, which sets the defaults.'),
    tavily_search_depth: words(['basic', 'advanced', 'fast', 'ultra_fast'])
      .optional()
      .describe('Search depth; advanced costs 2 credits.'),
    tavily_topic: words(['general', 'news', 'finance']).optional().describe('Search topic.'),
    tavily_news_days: integer(1, 365).optional().describe('How many days back the news topic searches.'),
    tavily_include_images: booleanLeaf().optional().describe('Whether searches return images.'),
    tavily_country: textLeaf()
      .refine((name) => countryCode(name) !== undefined, { error: 'is not a country' })
      .optional()
      .describe('Prefer results of this country: ISO 3166-1 alpha-2 or English name.'),
    tavily_chunks_per_source: integer(1, 5).optional().describe('Passages per source.'),
    tavily_auto_parameters: booleanLeaf()
      .optional()
      .describe('Let Tavily choose parameters that are not set.'),
    tavily_extract_depth: words(['basic', 'advanced'])
      .optional()
      .describe('Extract depth; advanced costs 2 credits per 5 pages.'),
    tavily_extract_include_images: booleanLeaf().optional().describe('Whether extraction returns images.'),
    tavily_extract_in_deep_research: booleanLeaf()
      .optional()
      .describe('Whether deep research reads pages of which it has only a snippet (default: true).'),
    tavily_extract_max_urls: integer(1, 20)
      .optional()
      .describe('How many such pages are read in one iteration.'),
  })
  .prefault({} as never);

/** The `[telemetry]` section: OpenTelemetry traces. Nothing is loaded or sent without an endpoint. */
export const telemetry = z
  .strictObject({
    otlp_endpoint: requiredUrl()
      .optional()
      .describe('An OTLP/HTTP collector, such as http://127.0.0.1:4318; `/v1/traces` is appended.'),
    otlp_headers: secrets()
      .default([])
      .describe('Headers for the collector: `name=value`, separated by commas.'),
    service_name: textLeaf().default('headgate').describe('The service name in traces.'),
    sample_ratio: ratio().default(1).describe('The share of calls that are traced, 0 to 1.'),
    queries: booleanLeaf()
      .default(false)
      .describe('Put what was asked (queries, addresses) into traces; without it only hosts are there.'),
    propagate: booleanLeaf()
      .default(false)
      .describe('Send `traceparent` to providers and models, so that they continue the trace.'),
  })
  .prefault({} as never);

/** The `[library]` section: the local index. */
export const library = z
  .strictObject({
    index_project: booleanLeaf()
      .default(true)
      .describe(
        'Whether `headgate serve` indexes the documentation of the packages in `node_modules` of the folder it is started in.',
      ),
    keep: booleanLeaf()
      .default(false)
      .describe('Whether every page that is read is added to the library of its workspace.'),
    keep_days: integer(1, 3_650).default(30).describe('How long such a page stays in the library.'),
    keep_megabytes: integer(1, 100_000)
      .default(256)
      .describe('How much space such pages of one workspace may take; the oldest are removed first.'),
    roots: list()
      .default([])
      .describe('Folders from which the console and the admin API may add files; none by default.'),
  })
  .prefault({});

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
    input_price: integer(0, 1_000_000_000)
      .default(0)
      .describe(
        'What a million tokens that it reads cost you, in millionths of a dollar; shown in the usage, never charged to a workspace.',
      ),
    output_price: integer(0, 1_000_000_000)
      .default(0)
      .describe('What a million tokens that it writes cost you, in millionths of a dollar.'),
    sampling: flag()
      .default(true)
      .describe('Without a provider: whether research may use the model of an MCP client (sampling).'),
  })
  .prefault({} as never);
