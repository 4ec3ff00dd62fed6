import { setTimeout as wait } from 'node:timers/promises';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import { clip, oneLine } from '../core/text.ts';
import { CLAIM, type Message } from './front.ts';
import { createMessageReader } from './message-reader.ts';

/** What a gateway gave a 2025 client in the handshake. */
export interface GatewaySession {
  id: string | null;
  version: string;
}

export interface GatewayAddress {
  /** The MCP address of the gateway. */
  url: URL;
  key: string | undefined;
  send(url: URL, request: RequestInit): Promise<Response>;
}

export interface GatewayAnswer extends Message {
  result?: unknown;
}

/** The revision that a client of 2026 names in every request. */
export const claimOf = (message: Message): unknown => message.params?._meta?.[CLAIM];

/** The field of a request that its `Mcp-Name` header repeats. */
const NAME_FIELDS: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Sends one message. A gateway that is just starting is asked again; nothing was sent then. */
export function createPost({ url, key, send }: GatewayAddress) {
  return async (
    message: Message,
    session: GatewaySession | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    const request = {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...revisionHeaders(message, session),
      },
      body: JSON.stringify(message),
    } as const;
    for (const waitMs of [...RETRY_MS, undefined]) {
      try {
        const response = await send(url, request);
        return response.ok ? response : await refused(response, key);
      } catch (thrown) {
        if (waitMs === undefined || codeOf(thrown) !== 'ECONNREFUSED') throw thrown;
        await wait(waitMs, undefined, { signal });
      }
    }
    throw cutOff();
  };
}

const RETRY_MS = [200, 800];

function revisionHeaders(message: Message, session: GatewaySession | undefined): Record<string, string> {
  const claim = claimOf(message);
  if (typeof claim !== 'string')
    return {
      ...(session?.id == null ? {} : { 'mcp-session-id': session.id }),
      ...(session === undefined ? {} : { 'mcp-protocol-version': session.version }),
    };
  const name = message.params?.[NAME_FIELDS[message.method ?? ''] ?? ''];
  return {
    'mcp-protocol-version': claim,
    ...(message.method === undefined ? {} : { 'mcp-method': message.method }),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

const headerValue = (text: string): string =>
  /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The messages of an answer, as they arrive. */
export async function* messagesIn(response: Response): AsyncGenerator<GatewayAnswer> {
  const reader = createMessageReader(response.headers.get('content-type') ?? '', LIMITS.toolAnswerBytesMax);
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? [])
    yield* reader.read(decoder.decode(bytes, { stream: true })) as GatewayAnswer[];
  yield* reader.end() as GatewayAnswer[];
}

/** MCP errors have a status of their own and are the client's to read; everything else is thrown. */
async function refused(response: Response, key: string | undefined): Promise<Response> {
  const answers: unknown[] = [];
  try {
    for await (const answer of messagesIn(response)) answers.push(answer);
  } catch {
    // It is a page of a proxy, or of another server.
  }
  const [answer] = answers as { jsonrpc?: string; detail?: { error?: string } | string }[];
  if (answer?.jsonrpc === '2.0') return Response.json(answer);
  const said = typeof answer?.detail === 'string' ? answer.detail : answer?.detail?.error;
  throw refusalOf(response, key, typeof said === 'string' ? clip(oneLine(said), REASON_CHARS) : undefined);
}

/** Why a gateway refused: its own words where it is one of ours, and what to do about a key. */
function refusalOf(response: Response, key: string | undefined, said: string | undefined): HeadgateError {
  const { status } = response;
  if (status === 401)
    return key === undefined
      ? new HeadgateError('unauthenticated', 'The gateway needs a key.', { remediation: SET_KEY })
      : new HeadgateError('unauthenticated', 'The gateway does not accept this key.', {
          remediation: own`It may be revoked, expired, or of another gateway. ${SET_KEY}`,
        });
  if (status >= 300 && status < 400)
    return new HeadgateError(
      'upstream_invalid',
      own`The gateway redirects to ${named(clip(oneLine(response.headers.get('location') ?? 'nowhere'), REASON_CHARS))}.`,
      { remediation: 'Use the address that it redirects to with --gateway.' },
    );
  if (said !== undefined)
    return new HeadgateError(
      status >= 500 ? 'upstream_unavailable' : 'upstream_invalid',
      own`The gateway answers: ${named(said)}`,
    );
  return new HeadgateError(
    status >= 500 ? 'upstream_unavailable' : 'not_found',
    own`The address of the gateway answers with HTTP ${status}, not as a gateway does.`,
    {
      remediation:
        status >= 500 ? 'Try again shortly.' : 'Check --gateway: it is the address that the console is at.',
    },
  );
}

const REASON_CHARS = 1_000;
const SET_KEY = own`Set HEADGATE_API_KEY to a key from the console or from \`headgate key create\`.`;

const codeOf = (thrown: unknown): string | undefined =>
  (thrown as { cause?: { code?: string } } | undefined)?.cause?.code;

/** What to tell a client about a request that failed. */
export function gatewayFailure(thrown: unknown, url: URL): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return new HeadgateError('upstream_timeout', 'The gateway did not answer in time.', {
      remediation: 'Try again, or ask for less at a time.',
    });
  const code = codeOf(thrown) ?? 'no connection';
  return new HeadgateError(
    'network_error',
    own`The gateway at ${named(url.origin)} cannot be reached (${named(code)}).`,
    {
      remediation: 'Check that it runs and that --gateway is its address. The next call tries again.',
      cause: thrown,
    },
  );
}

export const cutOff = (): HeadgateError =>
  new HeadgateError('upstream_unavailable', 'The gateway ended the connection before it had answered.', {
    remediation: 'The call may have been made and charged. Try again.',
  });
