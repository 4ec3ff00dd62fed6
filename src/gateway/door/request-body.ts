import type { HonoRequest } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { shapeProblem } from '../../core/json-shape.ts';
import { LIMITS } from '../../core/limits.ts';
import { byteSize } from '../../core/text.ts';

export type Body = Record<string, unknown>;

/** Reads the JSON object of a request, bounded in bytes and depth. */
export async function readJsonBody(request: HonoRequest): Promise<Body> {
  const text = await readText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HeadgateError('invalid_request', 'The request body is not JSON.', {
      remediation: 'Send a JSON object.',
      cause,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HeadgateError('invalid_request', 'The request body must be a JSON object.');
  }
  const problem = shapeProblem(value);
  if (problem !== undefined)
    throw new HeadgateError('invalid_request', own`The request body is ${named(problem)}.`);
  return value as Body;
}

/** The fields of an HTML form, each with its first value. */
export const readFormBody = async (request: HonoRequest): Promise<Body> =>
  firstOf(new URLSearchParams(await readText(request)));

/** Each field with its first value, as servers that take one read them. */
export const firstOf = (params: URLSearchParams): Body => Object.fromEntries([...params].toReversed());

async function readText(request: HonoRequest): Promise<string> {
  const length = request.header('content-length');
  // Node enforces a declared Content-Length, so the fast path is safe when there is one.
  if (length !== undefined) {
    if (!(Number(length) <= LIMITS.requestBodyBytesMax)) throw tooLarge();
    return request.text();
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > LIMITS.requestBodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const tooLarge = (): HeadgateError =>
  new HeadgateError(
    'payload_too_large',
    own`The request body is larger than ${byteSize(LIMITS.requestBodyBytesMax)}.`,
    {
      remediation: 'Send less in one request.',
    },
  );
