import type * as Contract from '../contract/types.ts';

// Types only: the client has no code of the engine in it.

/** How an answer of the gateway differs from its contract: usage on request, and no bare credits. */
type OnWire<Output> = Omit<Output, 'credits'> & { usage?: { credits: number } };

interface Asked {
  /** Reports what the call cost. */
  include_usage?: boolean;
}

export type SearchRequest = Contract.SearchRequest & Asked;
export type SearchAnswer = OnWire<Contract.SearchOutput> & { follow_up_questions: null };
export type ExtractRequest = Omit<Contract.ExtractRequest, 'urls'> & { urls: string | string[] } & Asked;
export type ExtractAnswer = OnWire<Contract.ExtractOutput>;
export type CrawlRequest = Contract.CrawlRequest & Asked;
export type CrawlAnswer = OnWire<Contract.CrawlOutput>;
/** A crawl in the background, on every gateway of the store, which must be PostgreSQL. */
export type CrawlJobRequest = Contract.CrawlJobRequest;
export type CrawlJob = Contract.CrawlJobAnswer;
export type CrawlResult = Contract.CrawlResultLine;
export type MapRequest = Contract.MapRequest & Asked;
export type MapAnswer = OnWire<Contract.MapOutput>;
export type AnswerRequest = Contract.AnswerRequest;
export type AnswerAnswer = Contract.AnswerOutput;

export interface UsageCounts {
  search_usage: number;
  extract_usage: number;
  crawl_usage: number;
  map_usage: number;
  research_usage: number;
}

export interface UsageAnswer {
  key: UsageCounts & { usage: number; limit: number | null };
  account: UsageCounts & {
    current_plan: string | null;
    plan_usage: number;
    plan_limit: number | null;
    paygo_usage: number;
    paygo_limit: number | null;
  };
}

export interface ResearchRequest {
  input: string;
  /** How much effort: `mini`, `auto` or `pro`. */
  model?: 'mini' | 'auto' | 'pro';
  include_domains?: string[];
  exclude_domains?: string[];
}

/** A research that was accepted; request its state with `request_id`. */
export interface ResearchTaken {
  request_id: string;
  created_at: string;
  status: 'pending';
  input: string;
  model: string;
  response_time: number;
  warnings: string[];
}

export interface ResearchStatusAnswer {
  request_id: string;
  status: 'pending' | 'in_progress' | 'completed' | 'failed';
  response_time: number;
  /** Markdown, when it is completed. */
  content?: string;
  sources?: { title: string; url: string; favicon?: string }[];
  /** Why it failed. */
  error?: string;
}

/** A tool that can be run, with the schema of its arguments: what MCP clients of the gateway see. */
export interface WebTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: object;
  /** Failures of the tool are results with `isError`. */
  execute(input: unknown, context?: { signal?: AbortSignal }): Promise<WebToolResult>;
}

/** The result of a tool as in MCP; the text is for the model, `_meta` for programs. */
export interface WebToolResult {
  content: { type: string; text?: unknown }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}
