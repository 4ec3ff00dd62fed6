import { loadConfig } from './config/load.ts';
import type { AnswerOutput } from './contract/answer.ts';
import type { SearchOutput } from './contract/search.ts';
import { silentLogger } from './core/log.ts';
import { createEngine } from './headgate.ts';
import { answer } from './operations/answer.ts';
import { createCall, perform } from './operations/perform.ts';
import { search } from './operations/search.ts';

export { HeadgateError } from './core/errors.ts';
export type { Outcome } from './core/outcome.ts';
export type { AnswerOutput, SearchOutput };

export interface HeadgateOptions {
  /** Configuration as in `headgate.toml`, flat: `{ 'providers.tavily.api_key': '…' }`. */
  config?: Record<string, unknown>;
  /** Where keys such as `TAVILY_API_KEY` are looked for; nothing is read from the process by itself. */
  env?: Record<string, string | undefined>;
}

interface CallSettings {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The engine for programs: `const web = createHeadgate(); await web.search({ query })`. */
export function createHeadgate(options: HeadgateOptions = {}) {
  const { config } = loadConfig({ env: options.env ?? {}, flags: options.config ?? {} });
  const { services, close } = createEngine(config, { log: silentLogger });
  return {
    search: (
      input: { query: string } & Record<string, unknown>,
      settings: CallSettings = {},
    ): Promise<SearchOutput> => perform(search, input, createCall(services, settings), services),
    answer: (input: { query: string }, settings: CallSettings = {}): Promise<AnswerOutput> =>
      perform(answer, input, createCall(services, settings), services),
    close,
  };
}
