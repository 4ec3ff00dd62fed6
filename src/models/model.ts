import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { OwnText } from '../core/text.ts';
import type { z } from 'zod';
import { LIMITS } from '../core/limits.ts';

/** A request to a language model: the system prompt and the task. */
export interface ModelRequest {
  system: string;
  prompt: string;
  tokensMax: number;
}

/** Tokens that a model read and wrote. */
export interface TokensUsed {
  input: number;
  output: number;
}

export interface ModelAnswer {
  text: string;
  /** The tokens that the model reports; 0 when it does not. */
  tokens: TokensUsed;
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

const TOKENS_MAX = 100_000_000;
/** What an endpoint reports as whole numbers; it may report anything. */
export const tokensUsed = (
  input: number | null | undefined,
  output: number | null | undefined,
): TokensUsed => ({ input: wholeTokens(input), output: wholeTokens(output) });
const wholeTokens = (reported: number | null | undefined): number =>
  Math.min(Math.max(0, Math.ceil(reported ?? 0)), TOKENS_MAX);

const CHARS_PER_TOKEN = 4;
export const estimatedTokens = (...texts: string[]): number =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARS_PER_TOKEN);

/** What an answer used: as reported, or estimated by length. */
export const tokensOf = (
  { system, prompt }: Pick<ModelRequest, 'system' | 'prompt'>,
  { tokens, text }: Pick<ModelAnswer, 'tokens' | 'text'>,
): TokensUsed =>
  tokens.input + tokens.output > 0
    ? tokens
    : { input: estimatedTokens(system, prompt), output: estimatedTokens(text) };

/** Parses the JSON of a response with a schema; undefined when it does not match. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/**
 * Extracts the JSON object of a model's answer: from a fenced block, or between the outermost braces;
 * undefined when there is none.
 */
export function jsonInAnswer(text: string): unknown {
  const bounded = text.slice(0, LIMITS.modelAnswerCharsMax);
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/i.exec(bounded)?.[1];
  const braces = bounded.slice(bounded.indexOf('{'), bounded.lastIndexOf('}') + 1);
  for (const candidate of [fenced, braces, bounded]) {
    const value = candidate === undefined ? undefined : parse(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
