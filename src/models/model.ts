import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { OwnText } from '../core/text.ts';

/** What a model is asked: who it is, and the task. */
export interface ModelRequest {
  system: string;
  prompt: string;
  tokensMax: number;
}

export interface ModelAnswer {
  text: string;
  /** What it used, as it says itself. */
  tokens: number;
  /** True when it stopped because it had no room left. */
  isCut: boolean;
}

export interface ModelSettings {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
}

/** A model's API as two pure halves; the runner owns the network. */
export interface ModelApi {
  id: 'openai' | 'anthropic';
  title: OwnText;
  baseUrl: string;
  request(request: ModelRequest, settings: ModelSettings): HttpRequest;
  /** Reads a 2xx answer; undefined when there is no text in it. */
  parse(response: HttpResponse): ModelAnswer | undefined;
}
