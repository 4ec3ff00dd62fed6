import type { Config } from '../config/schema.ts';
import type { SearchRequest } from '../contract/types.ts';

export const RESEARCH_MODES = ['general', 'academic', 'technical'] as const;
export type ResearchMode = (typeof RESEARCH_MODES)[number];

/** The search fields that configuration, mode and caller may set. */
export type SearchParameters = Partial<
  Pick<
    SearchRequest,
    | 'search_depth'
    | 'topic'
    | 'days'
    | 'include_images'
    | 'country'
    | 'chunks_per_source'
    | 'include_raw_content'
    | 'auto_parameters'
  >
>;

/** The defaults of each research mode (research spec 6.2). */
const MODE_DEFAULTS: Record<ResearchMode, SearchParameters> = {
  general: {
    search_depth: 'basic',
    chunks_per_source: 3,
    include_raw_content: false,
    topic: 'general',
    include_images: false,
  },
  academic: {
    search_depth: 'advanced',
    chunks_per_source: 5,
    include_raw_content: 'markdown',
    topic: 'general',
    include_images: false,
  },
  technical: {
    search_depth: 'advanced',
    chunks_per_source: 4,
    include_raw_content: 'markdown',
    topic: 'general',
    include_images: false,
  },
};

/**
 * Precedence: argument, configuration, default of the mode, Tavily's choice. With `tavily_auto_parameters`
 * the general mode sets nothing, so that Tavily can choose.
 */
export function resolveSearchParameters(
  explicit: SearchParameters,
  config: Config['research'],
  mode: ResearchMode,
): SearchParameters {
  const isAuto = explicit.auto_parameters ?? config.tavily_auto_parameters ?? false;
  const defaults = isAuto && mode === 'general' ? {} : MODE_DEFAULTS[mode];
  const resolved = { ...defaults, ...present(fromConfig(config)), ...present(explicit) };
  // `days` applies only to the news topic, so configured days are dropped for others.
  if (resolved.topic !== 'news' && explicit.days === undefined) delete resolved.days;
  return isAuto ? { ...resolved, auto_parameters: true } : resolved;
}

const fromConfig = (config: Config['research']): SearchParameters => ({
  search_depth: config.tavily_search_depth === 'ultra_fast' ? 'ultra-fast' : config.tavily_search_depth,
  topic: config.tavily_topic,
  days: config.tavily_news_days,
  include_images: config.tavily_include_images,
  country: config.tavily_country,
  chunks_per_source: config.tavily_chunks_per_source,
});

const present = (parameters: SearchParameters): SearchParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
