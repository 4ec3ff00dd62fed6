/*
 * Jina's search (s.jina.ai, needs a key) and reader (r.jina.ai, works without). What surprised us: JSON comes only when the request
 * accepts nothing else; a refusal may arrive with HTTP 200 and an error envelope; a dead page is a 200 with `httpStatus` or `warning`;
 * "no results" is a 422; with an empty balance the reader refuses a key but still works without one.
 */
import { z } from 'zod';
import type { FailureCode, HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import { baseUrl } from '../kit/base-url.ts';
import { failureOf } from '../kit/failure.ts';
import { readJson, readJsonIfAny } from '../kit/read-json.ts';

export const JINA = { id: 'jina', title: own`Jina`, keyVariable: own`JINA_API_KEY` };

export const jinaSettings = z.object({
  base_url: baseUrl('https://r.jina.ai'),
  search_base_url: baseUrl('https://s.jina.ai'),
  rerank_base_url: baseUrl('https://api.jina.ai/v1'),
  rerank_model: z.string().min(1).default('jina-reranker-v2-base-multilingual'),
});
export type JinaSettings = z.output<typeof jinaSettings>;

const refusal = z.object({
  code: z.number(),
  name: z.string().catch(''),
  status: z.number().optional().catch(undefined),
  message: z.string().catch(''),
  retryAfter: z.number().nonnegative().optional().catch(undefined),
});

/** The error in a response, whatever its HTTP status; undefined for a good one. */
export function refusalOf(response: HttpResponse): z.output<typeof refusal> | undefined {
  const parsed = refusal.safeParse(readJsonIfAny(response.body));
  return parsed.success && parsed.data.code >= 400 ? parsed.data : undefined;
}

export function failJina(response: HttpResponse, now?: number): HeadgateError {
  const said = refusalOf(response);
  const status = said?.code ?? response.status;
  return failureOf(
    JINA,
    { ...response, status },
    {
      code: codeOf(status, said?.name ?? ''),
      words: said?.message,
      retryAfterMs: said?.retryAfter === undefined ? undefined : said.retryAfter * 1_000,
      ...(status === 402 && { remediation: own`Recharge the key; the reader also works without one.` }),
      ...(status === 401 && { remediation: own`Get a key at https://jina.ai and set JINA_API_KEY.` }),
      now,
    },
  );
}

/** The data of a good response. An error with HTTP 200 is thrown. */
export function readJina<Data>(response: HttpResponse, data: z.ZodType<Data>): Data {
  if (refusalOf(response) !== undefined) throw failJina(response);
  return readJson(response, JINA, z.object({ data })).data;
}

/** The two errors of Jina that are about the requested address, not about the key. */
function codeOf(status: number, name: string): FailureCode | undefined {
  if (status === 403 && /AbuseAlleviation|OperationNotAllowed/.test(name)) return 'upstream_blocked';
  if (status === 451) return 'upstream_blocked';
  return status === 409 ? 'upstream_quota' : undefined;
}
