// Printed by `npm run generate` from the contracts beside it; edit those.
// oxlint-disable max-lines
import type { Outcome } from '../core/outcome.ts';

export type SearchHit = {
  url: string;
  title: string;
  /** Snippet or best passages. */
  content: string;
  /** 0 to 1, best first. */
  score: number;
  /** Present when the score only reflects the position in the list, because relevance was not measured. */
  score_by?: 'rank' | undefined;
  raw_content: string | null;
  published_date?: string | undefined;
  favicon?: string | undefined;
  images?: (string | {
    url: string;
    description?: string | null | undefined;
  })[] | undefined;
  /** The provider that found it. */
  provider: string;
  found_by?: string[] | undefined;
  /** The licence of the text, where it has to be named. */
  licence?: string | undefined;
  trust: 'untrusted_web';
};

export type ExtractHit = {
  url: string;
  title: string;
  /** The page’s content, or its best passages when a query was given. */
  raw_content: string;
  images: string[];
  favicon?: string | undefined;
  description?: string | undefined;
  /** The people who wrote it, or the organisation. */
  byline?: string | undefined;
  /** ISO 8601: a day, or a time in the time zone of the page. */
  published_date?: string | undefined;
  /** The date of the last change. */
  modified_date?: string | undefined;
  /** BCP 47. */
  language?: string | undefined;
  site_name?: string | undefined;
  /** The canonical address that the page declares. */
  canonical_url?: string | undefined;
  /** The preview image that the page declares. */
  image?: string | undefined;
  /** The passages with their offsets in the page. */
  chunks?: {
    text: string;
    start: number;
    end: number;
    /** The section heading, table head or code fence above the passage, when it starts below them. */
    opening?: string | undefined;
    /** The closing code fence, when the passage stops inside code. */
    closing?: string | undefined;
    headings?: string[] | undefined;
    /** 0 to 1: how much of the query it covers. */
    score?: number | undefined;
  }[] | undefined;
  /** When raw_content starts inside a table or code: the table head or code fence to put before it. */
  opening?: string | undefined;
  /** When raw_content stops inside code: the fence to put after it. */
  closing?: string | undefined;
  /** With a query: whether the page answers it, matches it in part (`weak`), or is about something else. */
  match?: 'answered' | 'weak' | 'none' | undefined;
  outcome: 'ok' | 'degraded';
  /** Why the page is degraded. */
  reason?: string | undefined;
  /** Whether content or passages were left out to fit max_tokens. */
  truncated: boolean;
  /** Pass it back to continue exactly there. */
  cursor?: string | undefined;
  /** The approximate number of tokens that follow. */
  remaining_tokens?: number | undefined;
  provider: string;
  trust: 'untrusted_web';
};

export type ResearchReport = {
  research_id: string;
  query: string;
  mode: 'general' | 'academic' | 'technical';
  outcome: Outcome;
  /** Whether the findings answer the question, match it in part (`weak`), or do not match. */
  match?: 'answered' | 'weak' | 'none' | undefined;
  /** The model, or `quotes` without one. */
  written_by: string;
  executive_summary: {
    text: string;
    /** Numbers of the sources. */
    citations: number[];
    finding_ids: string[];
    /** The quotes from the cited sources that support the statement. */
    quotes: {
      citation: number;
      quote: string;
    }[];
  }[];
  key_findings: {
    theme: string;
    statements: {
      text: string;
      /** Numbers of the sources. */
      citations: number[];
      finding_ids: string[];
      /** The quotes from the cited sources that support the statement. */
      quotes: {
        citation: number;
        quote: string;
      }[];
    }[];
  }[];
  supporting_evidence: {
    text: string;
    /** Numbers of the sources. */
    citations: number[];
    finding_ids: string[];
    /** The quotes from the cited sources that support the statement. */
    quotes: {
      citation: number;
      quote: string;
    }[];
  }[];
  conflicting_information: {
    text: string;
    /** Numbers of the sources. */
    citations: number[];
    finding_ids: string[];
    /** The quotes from the cited sources that support the statement. */
    quotes: {
      citation: number;
      quote: string;
    }[];
  }[];
  /** Where sources give different figures or dates, who gives which. */
  figures?: {
    value: string;
    citation: number;
    site: string;
    published_date?: string | undefined;
  }[][] | undefined;
  limitations: string[];
  conclusions: {
    text: string;
    /** Numbers of the sources. */
    citations: number[];
    finding_ids: string[];
    /** The quotes from the cited sources that support the statement. */
    quotes: {
      citation: number;
      quote: string;
    }[];
  }[];
  sources: {
    number: number;
    id: string;
    title: string;
    url: string;
    quality: 'high' | 'medium' | 'low';
    text_kind: 'content' | 'snippet';
    hash: string;
    provider: string;
    published_date?: string | undefined;
    favicon?: string | undefined;
  }[];
  findings: {
    id: string;
    statement: string;
    /** The exact text of the source from start to end. */
    quote: string;
    source_id: string;
    citation: number;
    url: string;
    /** SHA-256 of the source’s text. */
    hash: string;
    start: number;
    end: number;
    theme: string;
    confidence: 'low' | 'medium' | 'high';
  }[];
  /** Statements of the model that were removed because no source supports them. */
  removed: {
    claims: number;
    citations: number;
  };
  iterations: number;
  markdown: string;
};

export type ResearchSession = {
  research_id: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'interrupted';
  phase: 'planning' | 'gathering' | 'extraction' | 'analysis' | 'synthesis' | 'refinement' | 'done';
  original_query: string;
  mode: 'general' | 'academic' | 'technical';
  iteration: number;
  max_iterations: number;
  sub_queries_total: number;
  sub_queries_completed: number;
  source_count: number;
  finding_count: number;
  /** Gaps that are still open. */
  gap_count: number;
  total_tokens_used: number;
  credits: number;
  elapsed_ms: number;
  is_complete: boolean;
  is_failed: boolean;
  failure_error: string | null;
  /** Why it failed, as a code of the error table. */
  failure_code: string | null;
  timed_out: boolean;
  cancelled: boolean;
  status_check_count: number;
  /** What to do next. */
  next_action: string;
  created_at: string;
  updated_at: string;
  expires_at: string;
};

/** Find pages that answer a question. Use it for facts newer than your training data. */
export type SearchRequest = {
  /** What to look for. */
  query: string;
  /** How many results to return. Default: `5`. */
  max_results?: number | undefined;
  /** `advanced` reads the pages and returns their best passages. */
  search_depth?: 'basic' | 'advanced' | 'fast' | 'ultra-fast' | undefined;
  /** Which part of the web to search. `auto` also asks sources of what the query is about, such as encyclopaedias or the scientific literature. */
  topic?: 'general' | 'news' | 'finance' | 'auto' | 'encyclopaedia' | 'programming' | 'software' | 'science' | 'medicine' | 'books' | 'security' | undefined;
  /** Only results of the last day, week, month or year. */
  time_range?: 'day' | 'week' | 'month' | 'year' | 'd' | 'w' | 'm' | 'y' | undefined;
  /** Only results from this day on (YYYY-MM-DD). */
  start_date?: string | undefined;
  /** Only results up to this day (YYYY-MM-DD). */
  end_date?: string | undefined;
  /** Only results of the last N days. */
  days?: number | undefined;
  /** Answer the query from the results. */
  include_answer?: boolean | 'basic' | 'advanced' | undefined;
  /** Add the content of each page. */
  include_raw_content?: boolean | 'markdown' | 'text' | undefined;
  /** Add images. */
  include_images?: boolean | undefined;
  /** Describe the images. */
  include_image_descriptions?: boolean | undefined;
  /** Add each site’s icon. */
  include_favicon?: boolean | undefined;
  /** Only results from these domains. */
  include_domains?: string[] | undefined;
  /** No results from these domains. */
  exclude_domains?: string[] | undefined;
  /** Whether include_domains restricts the results or only prefers them. */
  include_domains_mode?: 'restrict' | 'prefer' | 'filter' | 'boost' | undefined;
  /** Prefer results of this country: ISO code or English name. */
  country?: string | undefined;
  /** Prefer results in this language (ISO 639-1). */
  language?: string | undefined;
  /** Drop results in other languages. */
  filter_by_language?: boolean | undefined;
  /** Add the publication date. */
  include_published_date?: boolean | undefined;
  /** Drop undated results when a date filter is set. */
  filter_by_published_date?: boolean | undefined;
  /** How many passages per result. */
  chunks_per_source?: number | undefined;
  /** At most this many tokens in the content of all results together, filled with the best passages. */
  max_tokens?: number | undefined;
  /** Let the provider choose parameters that are not set. */
  auto_parameters?: boolean | undefined;
  /** Quoted phrases must occur. */
  exact_match?: boolean | undefined;
  /** Leave out adult content. */
  safe_search?: boolean | undefined;
  /** The provider: `auto`, one ID, or a list of IDs to try in order. */
  provider?: string | string[] | undefined;
  /** Providers and sources of topics that this search does not ask. */
  exclude_providers?: string[] | undefined;
  /** `fallback` tries one provider after another, `fastest` takes the first answer, `merge` combines all. */
  strategy?: 'fallback' | 'fastest' | 'merge' | undefined;
  /** The local library. `also`, the default: its documents are a list of their own, beside the results of the web. `only`: nothing else is searched. `never`: it is left out. */
  library?: 'only' | 'also' | 'never' | undefined;
};

export type SearchOutput = {
  query: string;
  answer: string | null;
  /** How the answer was written: by the provider, by the model (citing results by number), or as quotes from the results. */
  answer_by?: 'provider' | 'model' | 'quotes' | undefined;
  /** With include_answer: whether the results answer the query, match it in part (`weak`), or are about something else. */
  match?: 'answered' | 'weak' | 'none' | undefined;
  images: (string | {
    url: string;
    description?: string | null | undefined;
  })[];
  results: SearchHit[];
  /** Matching documents of the local library, when there are any; `results` are those of the web. */
  library?: SearchHit[] | undefined;
  auto_parameters?: Record<string, unknown> | undefined;
  cached: boolean;
  /** Credits that the provider charged. */
  credits: number;
  /** Seconds. */
  response_time: number;
  request_id: string;
  /** What was booked for this call; absent where nothing is metered. */
  cost?: {
    /** Credits that were booked. */
    credits: number;
    /** Millionths of a dollar that were charged. */
    charged: number;
    /** True when everything was within the free allowance or had no price. */
    free: boolean;
    /** Millionths of a dollar that are left. */
    balance_after?: number | undefined;
    /** Free calls that are left; null without a limit. */
    calls_left?: number | null | undefined;
  } | undefined;
  /** How the call went. */
  outcome: Outcome;
  /** Every request to a provider and its outcome. */
  attempts: {
    provider: string;
    key?: string | undefined;
    ms: number;
    outcome: Outcome;
    reason?: string | undefined;
    why?: string | undefined;
  }[];
  /** What was changed, dropped or cut. */
  warnings: string[];
};

/** Read pages as clean Markdown or text. Use it when you know the URL. */
export type ExtractRequest = {
  /** The pages to read, at most 20. */
  urls: string[];
  /** Return only the passages that answer this. */
  query?: string | undefined;
  /** With a query: how many passages per page. By default 3, or as many as fit into max_tokens. */
  chunks_per_source?: number | undefined;
  /** `advanced` also runs the page’s scripts if a browser is available. */
  extract_depth?: 'basic' | 'advanced' | undefined;
  /** The format of the content. Default: `"markdown"`. */
  format?: 'markdown' | 'text' | undefined;
  /** Add the page’s images. */
  include_images?: boolean | undefined;
  /** Add the site’s icon. */
  include_favicon?: boolean | undefined;
  /** Cut each page to this many tokens; use the cursor to continue. */
  max_tokens?: number | undefined;
  /** Continue where an earlier answer was cut (one URL only). */
  cursor?: string | undefined;
  /** Seconds for the whole call. */
  timeout?: number | undefined;
  /** The provider: `auto`, one ID, or a list of IDs to try in order. */
  provider?: string | string[] | undefined;
};

export type ExtractOutput = {
  results: ExtractHit[];
  failed_results: {
    url: string;
    error: string;
    code: 'INVALID_URL' | 'BLOCKED_HOST' | 'NOT_FOUND' | 'ACCESS_DENIED' | 'TIMEOUT' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_TYPE' | 'NETWORK_ERROR' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'QUOTA_EXCEEDED' | 'UNAVAILABLE' | 'BAD_ANSWER' | 'EXTRACT_FAILED';
  }[];
  credits: number;
  response_time: number;
  request_id: string;
  /** What was booked for this call; absent where nothing is metered. */
  cost?: {
    /** Credits that were booked. */
    credits: number;
    /** Millionths of a dollar that were charged. */
    charged: number;
    /** True when everything was within the free allowance or had no price. */
    free: boolean;
    /** Millionths of a dollar that are left. */
    balance_after?: number | undefined;
    /** Free calls that are left; null without a limit. */
    calls_left?: number | null | undefined;
  } | undefined;
  /** How the call went. */
  outcome: Outcome;
  /** Every request to a provider and its outcome. */
  attempts: {
    provider: string;
    key?: string | undefined;
    ms: number;
    outcome: Outcome;
    reason?: string | undefined;
    why?: string | undefined;
  }[];
  /** What was changed, dropped or cut. */
  warnings: string[];
};

/** Answer a short question: from instant answers (a definition, a fact, an encyclopedia abstract), or quoted from pages that are searched and read. */
export type AnswerRequest = {
  /** What to look up. */
  query: string;
  /** Search and read pages when there is no instant answer that matches. Default: `true`. */
  web?: boolean | undefined;
};

export type AnswerOutput = {
  query: string;
  heading: string;
  abstract?: {
    text: string;
    source: string;
    url: string;
  } | undefined;
  answer?: string | undefined;
  /** Present when the answer is from pages: how it was written. It cites `results` by number. */
  answer_by?: 'provider' | 'model' | 'quotes' | undefined;
  definition?: {
    text: string;
    source: string;
    url: string;
  } | undefined;
  /** Whether what was found answers the query or matches it only in part (`weak`). */
  match?: 'answered' | 'weak' | 'none' | undefined;
  facts: {
    label: string;
    value: string;
  }[];
  related: {
    title: string;
    text: string;
    url: string;
    /** The heading of its group on a disambiguation page. */
    group?: string | undefined;
  }[];
  results: {
    title: string;
    text: string;
    url: string;
    /** The heading of its group on a disambiguation page. */
    group?: string | undefined;
  }[];
  /** Where the source redirects instead of answering. */
  redirect?: string | undefined;
  cached: boolean;
  response_time: number;
  request_id: string;
  /** What was booked for this call; absent where nothing is metered. */
  cost?: {
    /** Credits that were booked. */
    credits: number;
    /** Millionths of a dollar that were charged. */
    charged: number;
    /** True when everything was within the free allowance or had no price. */
    free: boolean;
    /** Millionths of a dollar that are left. */
    balance_after?: number | undefined;
    /** Free calls that are left; null without a limit. */
    calls_left?: number | null | undefined;
  } | undefined;
  /** How the call went. */
  outcome: Outcome;
  /** Every request to a provider and its outcome. */
  attempts: {
    provider: string;
    key?: string | undefined;
    ms: number;
    outcome: Outcome;
    reason?: string | undefined;
    why?: string | undefined;
  }[];
  /** What was changed, dropped or cut. */
  warnings: string[];
};

/** Follow a site’s links from one page and return the content of what is found. */
export type CrawlRequest = {
  /** Where to start; https:// is added when missing. */
  url: string;
  /** What you are looking for; pages that match come first. */
  instructions?: string | undefined;
  /** How many links away from the start. Default: `1`. */
  max_depth?: number | undefined;
  /** How many links to follow from one page. Default: `20`. */
  max_breadth?: number | undefined;
  /** How many pages in total. Default: `50`. */
  limit?: number | undefined;
  /** Only paths that match one of these regular expressions. */
  select_paths?: string[] | undefined;
  /** Only hosts that match one of these regular expressions. */
  select_domains?: string[] | undefined;
  /** No paths that match one of these regular expressions. */
  exclude_paths?: string[] | undefined;
  /** No hosts that match one of these regular expressions. */
  exclude_domains?: string[] | undefined;
  /** Whether links to other sites are listed and followed. Default: `true`. */
  allow_external?: boolean | undefined;
  /** Seconds; what was found by then is returned. Default: `150`. */
  timeout?: number | undefined;
  /** Continue where an earlier answer stopped. */
  cursor?: string | undefined;
  /** The provider: `auto`, one ID, or a list of IDs to try in order. */
  provider?: string | string[] | undefined;
  /** With instructions: how many passages per page. */
  chunks_per_source?: number | undefined;
  /** How thoroughly pages are read. */
  extract_depth?: 'basic' | 'advanced' | undefined;
  /** The format of the content. Default: `"markdown"`. */
  format?: 'markdown' | 'text' | undefined;
  /** Add each page’s images. */
  include_images?: boolean | undefined;
  /** Add each site’s icon. */
  include_favicon?: boolean | undefined;
};

export type CrawlOutput = {
  base_url: string;
  /** Present when there is more; pass it back to continue. */
  cursor?: string | undefined;
  /** Pages that were not read, and why. */
  skipped: {
    url: string;
    reason: string;
  }[];
  credits: number;
  response_time: number;
  request_id: string;
  /** What was booked for this call; absent where nothing is metered. */
  cost?: {
    /** Credits that were booked. */
    credits: number;
    /** Millionths of a dollar that were charged. */
    charged: number;
    /** True when everything was within the free allowance or had no price. */
    free: boolean;
    /** Millionths of a dollar that are left. */
    balance_after?: number | undefined;
    /** Free calls that are left; null without a limit. */
    calls_left?: number | null | undefined;
  } | undefined;
  /** How the call went. */
  outcome: Outcome;
  /** Every request to a provider and its outcome. */
  attempts: {
    provider: string;
    key?: string | undefined;
    ms: number;
    outcome: Outcome;
    reason?: string | undefined;
    why?: string | undefined;
  }[];
  /** What was changed, dropped or cut. */
  warnings: string[];
  results: {
    url: string;
    title: string;
    raw_content: string;
    images: string[];
    favicon?: string | undefined;
    /** How many links away from the start, when that is known. */
    depth?: number | undefined;
    score?: number | undefined;
    trust: 'untrusted_web';
  }[];
};

/** Follow a site’s links and sitemap from one page and return the addresses found, without their content. */
export type MapRequest = {
  /** Where to start; https:// is added when missing. */
  url: string;
  /** What you are looking for; pages that match come first. */
  instructions?: string | undefined;
  /** How many links away from the start. Default: `1`. */
  max_depth?: number | undefined;
  /** How many links to follow from one page. Default: `20`. */
  max_breadth?: number | undefined;
  /** How many pages in total. Default: `50`. */
  limit?: number | undefined;
  /** Only paths that match one of these regular expressions. */
  select_paths?: string[] | undefined;
  /** Only hosts that match one of these regular expressions. */
  select_domains?: string[] | undefined;
  /** No paths that match one of these regular expressions. */
  exclude_paths?: string[] | undefined;
  /** No hosts that match one of these regular expressions. */
  exclude_domains?: string[] | undefined;
  /** Whether links to other sites are listed and followed. Default: `true`. */
  allow_external?: boolean | undefined;
  /** Seconds; what was found by then is returned. Default: `150`. */
  timeout?: number | undefined;
  /** Continue where an earlier answer stopped. */
  cursor?: string | undefined;
  /** The provider: `auto`, one ID, or a list of IDs to try in order. */
  provider?: string | string[] | undefined;
};

export type MapOutput = {
  base_url: string;
  /** Present when there is more; pass it back to continue. */
  cursor?: string | undefined;
  /** Pages that were not read, and why. */
  skipped: {
    url: string;
    reason: string;
  }[];
  credits: number;
  response_time: number;
  request_id: string;
  /** What was booked for this call; absent where nothing is metered. */
  cost?: {
    /** Credits that were booked. */
    credits: number;
    /** Millionths of a dollar that were charged. */
    charged: number;
    /** True when everything was within the free allowance or had no price. */
    free: boolean;
    /** Millionths of a dollar that are left. */
    balance_after?: number | undefined;
    /** Free calls that are left; null without a limit. */
    calls_left?: number | null | undefined;
  } | undefined;
  /** How the call went. */
  outcome: Outcome;
  /** Every request to a provider and its outcome. */
  attempts: {
    provider: string;
    key?: string | undefined;
    ms: number;
    outcome: Outcome;
    reason?: string | undefined;
    why?: string | undefined;
  }[];
  /** What was changed, dropped or cut. */
  warnings: string[];
  results: string[];
};

/** Research a question over many searches and pages; returns a report in which every statement is quoted and cited. */
export type ResearchRequest = {
  /** The question to research. */
  query: string;
  /** The research mode, which sets sources and search depth: general, academic or technical. */
  mode?: 'general' | 'academic' | 'technical' | undefined;
  /** How often gaps may be searched again. Default: `3`. */
  max_iterations?: number | undefined;
  /** How many searches the question is split into. Default: `5`. */
  max_sub_queries?: number | undefined;
  /** Results per search. Default: `5`. */
  max_sources_per_query?: number | undefined;
  /** Searches at the same time. Default: `3`. */
  max_concurrent?: number | undefined;
  /** Read pages of which a search returned only a snippet. */
  follow_links?: boolean | undefined;
  /** Use the configured language model; false means quotes only. */
  use_model?: boolean | undefined;
  /** Overrides the depth of the mode. */
  search_depth?: 'basic' | 'advanced' | 'fast' | 'ultra-fast' | undefined;
  /** Which part of the web to search. */
  topic?: 'general' | 'news' | 'finance' | undefined;
  /** Only results of the last N days. */
  days?: number | undefined;
  /** Prefer this country: ISO code or English name. */
  country?: string | undefined;
  /** Passages per result. */
  chunks_per_source?: number | undefined;
  /** Request page content with each search. */
  include_raw_content?: boolean | 'markdown' | 'text' | undefined;
  /** Request images. */
  include_images?: boolean | undefined;
  /** Let the provider choose parameters that are not set. */
  auto_parameters?: boolean | undefined;
  /** Prefer these domains. */
  include_domains?: string[] | undefined;
  /** No results from these domains. */
  exclude_domains?: string[] | undefined;
  /** The provider: `auto`, one ID, or a list of IDs to try in order. */
  provider?: string | string[] | undefined;
  /** The most provider credits to spend. */
  max_credits?: number | undefined;
  /** The most model tokens to spend. */
  max_tokens?: number | undefined;
  /** Time limit in seconds; the best report so far is returned then. Default: `300`. */
  timeout?: number | undefined;
  /** The citation style of the list of sources. Default: `"numbered"`. */
  citation_format?: 'numbered' | 'mla' | 'apa' | 'chicago' | undefined;
  /** The length of the report. Default: `"standard"`. */
  output_length?: 'short' | 'standard' | 'long' | undefined;
  /** The most tokens of the report in Markdown; what matters most is kept. */
  output_tokens?: number | undefined;
  /** Return at once with an ID; request the result later. */
  background?: boolean | undefined;
};

export type ResearchOutput = {
  session: ResearchSession;
  report: ResearchReport | null;
  warnings: string[];
};

/** Status, report, list, resume, cancel or delete research that was started earlier. */
export type ResearchSessionRequest = {
  /** What to do with the research. Default: `"status"`. */
  action?: 'status' | 'report' | 'list' | 'resume' | 'cancel' | 'delete' | undefined;
  /** Which research; not for list. */
  research_id?: string | undefined;
  /** With resume: the new number of iterations. */
  max_iterations?: number | undefined;
  /** With resume: seconds from now. */
  timeout?: number | undefined;
  /** With list: continue after this one. */
  cursor?: string | undefined;
  /** With list: how many. Default: `20`. */
  limit?: number | undefined;
};

export type ResearchSessionOutput = {
  action: 'status' | 'report' | 'list' | 'resume' | 'cancel' | 'delete';
  session?: ResearchSession | undefined;
  report?: ResearchReport | undefined;
  sessions?: ResearchSession[] | undefined;
  next_cursor?: string | undefined;
};

/** Check whether a page, or a source of a research, contains a quote, and where. */
export type VerifyQuoteRequest = {
  /** The words to look for. */
  quote: string;
  /** The page that should contain it; it is read now. */
  url?: string | undefined;
  /** Look in the sources of this research instead. */
  research_id?: string | undefined;
  /** Which of its sources; all when absent. */
  source_id?: string | undefined;
};

export type VerifyQuoteOutput = {
  verified: boolean;
  /** `normalised` ignores white space, letter case, typography and Markdown. */
  match: 'exact' | 'normalised' | 'none';
  url?: string | undefined;
  source_id?: string | undefined;
  /** SHA-256 of the text that was searched. */
  hash?: string | undefined;
  start?: number | undefined;
  end?: number | undefined;
  /** The text as it is in the source. */
  found?: string | undefined;
  /** The most similar passage, when the quote was not found. */
  closest?: string | undefined;
};
