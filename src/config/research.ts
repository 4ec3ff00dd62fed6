import { z } from 'zod';
import { integer } from '../contract/fields.ts';
import { countryCode } from '../core/countries.ts';
import { booleanLeaf, textLeaf } from './leaf.ts';

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
