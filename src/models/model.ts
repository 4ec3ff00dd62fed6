import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { OwnText } from '../core/text.ts';

/** A request to a language model: the system prompt and the task. */
export interface ModelRequest {
  system: string;
  prompt: string;
  tokensMax: number;
}

export interface ModelAnswer {
  text: string;
  /** The tokens that the model reports. */
  tokens: number;
  /** True when the model stopped because it reached its token limit. */
  isCut: boolean;
}

export interface ModelSettings {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
}

/** The API of a model as two pure functions; the runner does the network. */
export interface ModelApi {
  id: 'openai' | 'anthropic';
  title: OwnText;
  baseUrl: string;
  request(request: ModelRequest, settings: ModelSettings): HttpRequest;
  /** Parses a 2xx response; undefined when it contains no text. */
  parse(response: HttpResponse): ModelAnswer | undefined;
}
