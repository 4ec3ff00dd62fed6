import { FAILURES, type FailureCode, HeadgateError } from '../core/errors.ts';
import { asked, named, own } from '../core/own-text.ts';
import type * as Wire from './types.ts';

export interface ClientOptions {
  /** The address of the gateway, such as `http://127.0.0.1:8787`. */
  baseUrl: string;
  /** A key of a workspace; not needed for a gateway that accepts calls without one. */
  apiKey?: string;
  /** How long one call may take, retries included. */
  timeoutMs?: number;
  /** How often a call that may succeed later is retried. */
  retries?: number;
  /** The longest wait before a retry; a gateway that asks for more is not waited for. */
  retryWaitMaxMs?: number;
  fetch?: typeof fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Calls with the same key are executed and charged once, however often they are sent. */
  idempotencyKey?: string;
}

/** A typed client of a gateway. Every method throws `HeadgateError`, or the reason of your own signal. */
export interface Client {
  search(request: Wire.SearchRequest, options?: RequestOptions): Promise<Wire.SearchAnswer>;
  extract(request: Wire.ExtractRequest, options?: RequestOptions): Promise<Wire.ExtractAnswer>;
  crawl(request: Wire.CrawlRequest, options?: RequestOptions): Promise<Wire.CrawlAnswer>;
  /** Starts a crawl in the background, of up to a million pages, and returns at once. */
  startCrawl(request: Wire.CrawlJobRequest, options?: RequestOptions): Promise<Wire.CrawlJob>;
  crawlState(id: string, options?: RequestOptions): Promise<Wire.CrawlJob>;
  /** The latest crawls of the workspace. */
  crawls(options?: RequestOptions): Promise<{ crawls: Wire.CrawlJob[] }>;
  /** Stops a crawl; what was read stays. */
  cancelCrawl(id: string, options?: RequestOptions): Promise<Wire.CrawlJob>;
  /** What was read so far, after a position, a few pages at a time. To continue later, pass the last `position`. */
  crawlResults(id: string, after?: number, options?: RequestOptions): AsyncGenerator<Wire.CrawlResult>;
  map(request: Wire.MapRequest, options?: RequestOptions): Promise<Wire.MapAnswer>;
  answer(request: Wire.AnswerRequest, options?: RequestOptions): Promise<Wire.AnswerAnswer>;
  /** Starts a research and returns at once. */
  research(request: Wire.ResearchRequest, options?: RequestOptions): Promise<Wire.ResearchTaken>;
  researchState(id: string, options?: RequestOptions): Promise<Wire.ResearchStatusAnswer>;
  usage(options?: RequestOptions): Promise<Wire.UsageAnswer>;
  /** The tools that MCP clients of the gateway see, as `headgate/tools` takes them; the names are those of `--tools`. */
  agentTools(toolset?: string, options?: RequestOptions): Promise<Wire.WebTool[]>;
}

const TIMEOUT_MS = 60_000;
const LONG_TIMEOUT_MS = 160_000;
const RETRIES = 2;
const RETRY_BASE_MS = 500;
/** Far more than a gateway ever answers with. */
const ANSWER_BYTES_MAX = 100_000_000;
const RETRY_WAIT_MAX_MS = 10_000;
/** Results of a crawl that are asked for at a time. */
const RESULTS_PIECE = 50;

/**
 * @example
 * const web = createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey });
 * const { results } = await web.search({ query: 'tidal mills', max_results: 3 });
 */
export function createClient(settings: ClientOptions): Client {
  if (!URL.canParse(settings.baseUrl) || !/^https?:/i.test(settings.baseUrl))
    throw notAnAddress(settings.baseUrl);
  const call =
    <Answer>(method: string, path: string, timeoutMs: number) =>
    (request: unknown, options: RequestOptions = {}): Promise<Answer> =>
      withRetries(settings, { timeoutMs, ...options }, (signal) =>
        send<Answer>(settings, method, path, request, { ...options, signal }),
      );
  const ofCrawl = <Answer>(method: string, id: string, rest: string) =>
    call<Answer>(method, `/crawls/${encodeURIComponent(id)}${rest}`, TIMEOUT_MS);
  const usage = call<Wire.UsageAnswer>('GET', '/usage', TIMEOUT_MS);
  return {
    search: call('POST', '/search', TIMEOUT_MS),
    extract: call('POST', '/extract', TIMEOUT_MS),
    crawl: call('POST', '/crawl', LONG_TIMEOUT_MS),
    startCrawl: call('POST', '/crawls', TIMEOUT_MS),
    crawlState: (id, options) => ofCrawl<Wire.CrawlJob>('GET', id, '')(undefined, options),
    crawls: (options) => call<{ crawls: Wire.CrawlJob[] }>('GET', '/crawls', TIMEOUT_MS)(undefined, options),
    cancelCrawl: (id, options) => ofCrawl<Wire.CrawlJob>('DELETE', id, '')(undefined, options),
    crawlResults: async function* (id, after = 0, options) {
      for (let last: number | undefined = after; last !== undefined;) {
        const piece: string = `/results?after=${last}&limit=${RESULTS_PIECE}`;
        const lines: Wire.CrawlResult[] = await ofCrawl<Wire.CrawlResult[]>(
          'GET',
          id,
          piece,
        )(undefined, options);
        yield* lines;
        last = lines.at(-1)?.position;
      }
    },
    map: call('POST', '/map', LONG_TIMEOUT_MS),
    answer: call('POST', '/answer', TIMEOUT_MS),
    research: call('POST', '/research', TIMEOUT_MS),
    researchState: (id, options) =>
      call<Wire.ResearchStatusAnswer>(
        'GET',
        `/research/${encodeURIComponent(id)}`,
        TIMEOUT_MS,
      )(undefined, options),
    usage: (options) => usage(undefined, options),
    agentTools: async (toolset = 'default', options) => {
      const ask = <Result>(method: string, params: object, timeoutMs: number, settled: RequestOptions = {}) =>
        call<{ result: Result }>(
          'POST',
          `/mcp?tools=${encodeURIComponent(toolset)}`,
          timeoutMs,
        )({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MCP_META } }, settled).then(
          ({ result }) => result,
        );
      const { tools } = await ask<{ tools: Wire.WebTool[] }>('tools/list', {}, TIMEOUT_MS, options);
      return tools.map((tool) => ({
        ...tool,
        execute: (input, context) =>
          ask('tools/call', { name: tool.name, arguments: input }, LONG_TIMEOUT_MS, context),
      }));
    },
  };
}

/** Each request names its revision of MCP and needs no session. */
const MCP_VERSION = '2026-07-28';
const MCP_META = {
  'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'headgate-client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The headers that repeat what an MCP request has in its body. */
function mcpHeaders(request: unknown): Record<string, string> {
  const { jsonrpc, method, params } = (request ?? {}) as {
    jsonrpc?: string;
    method: string;
    params: { name?: string };
  };
  if (jsonrpc === undefined) return {};
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MCP_VERSION,
    'mcp-method': method,
    ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
  };
}

/** Retries calls that may succeed later, within one deadline. */
async function withRetries<Answer>(
  settings: ClientOptions,
  options: RequestOptions & { timeoutMs: number },
  attempt: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(settings.timeoutMs ?? options.timeoutMs);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const retries = settings.retries ?? RETRIES;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(signal);
    } catch (thrown) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      const error = thrown as HeadgateError;
      const waitMs = error.retryAfterMs ?? RETRY_BASE_MS * 2 ** tries;
      const isWorthIt = error.retryable && waitMs <= (settings.retryWaitMaxMs ?? RETRY_WAIT_MAX_MS);
      if (tries >= retries || !isWorthIt || deadline.aborted) throw error;
      await sleep(waitMs, signal);
    }
  }
}

async function send<Answer>(
  settings: ClientOptions,
  method: string,
  path: string,
  request: unknown,
  options: { signal: AbortSignal; idempotencyKey?: string },
): Promise<Answer> {
  const ask = settings.fetch ?? fetch;
  const response = await ask(`${settings.baseUrl.replace(/\/+$/, '')}${path}`, {
    method,
    signal: options.signal,
    headers: {
      accept: 'application/json',
      ...mcpHeaders(request),
      ...(request === undefined ? {} : { 'content-type': 'application/json' }),
      ...(settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    },
    ...(request === undefined ? {} : { body: JSON.stringify(request) }),
  }).catch((cause: unknown) => {
    throw unreachable(settings.baseUrl, options.signal, cause);
  });
  const text = await textOf(response).catch((cause: unknown) => {
    throw unreachable(settings.baseUrl, options.signal, cause);
  });
  if (text === undefined) throw tooLarge(settings.baseUrl);
  const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson') === true;
  const body = parse(isLines ? `[${text.trim().replaceAll('\n', ',')}]` : text);
  if (response.ok && body !== undefined) return body as Answer;
  throw failure(response, body);
}

/** The body of an answer; undefined when it is longer than any answer of a gateway. */
async function textOf(response: Response): Promise<string | undefined> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

const tooLarge = (baseUrl: string): HeadgateError =>
  new HeadgateError(
    'upstream_bad_answer',
    own`What answers at ${asked(baseUrl)} sent more than ${ANSWER_BYTES_MAX / 1_000_000} MB.`,
    { remediation: 'Check that baseUrl is the address of a gateway, or ask for fewer pages at once.' },
  );

const notAnAddress = (baseUrl: string): HeadgateError =>
  new HeadgateError('invalid_request', own`baseUrl: "${asked(baseUrl)}" is not an http(s) address.`, {
    remediation: 'Pass the address of the gateway, such as http://127.0.0.1:8787.',
  });

function unreachable(baseUrl: string, signal: AbortSignal, cause: unknown): HeadgateError {
  return signal.aborted
    ? new HeadgateError('deadline_exceeded', 'The gateway did not answer in time.', {
        status: 0,
        remediation: 'Allow more time with timeoutMs.',
        cause,
      })
    : new HeadgateError('network_error', own`The gateway at ${asked(baseUrl)} cannot be reached.`, {
        status: 0,
        remediation: 'Check baseUrl, and that the gateway is running.',
        cause,
      });
}

interface Detail {
  error?: string;
  code?: string;
  retryable?: boolean;
  remediation?: string;
  request_id?: string;
}

/** The failure as the gateway reported it; what does not come from a gateway is classified by its status. */
function failure(response: Response, body: unknown): HeadgateError {
  const { error: refused, detail = refused?.message } = (body ?? {}) as {
    detail?: string | Detail;
    /** As MCP says it. */
    error?: { message?: string };
  };
  const {
    error,
    code = '',
    retryable,
    remediation,
    request_id: requestId,
  }: Detail = typeof detail === 'object' ? detail : detail === undefined ? {} : { error: detail };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const known = Object.hasOwn(FAILURES, code) ? (code as FailureCode) : codeOf(response.status);
  const reason = error ?? `The gateway answered ${response.status} without a reason.`;
  const next = remediation ?? '';
  return new HeadgateError(
    known,
    named(reason.endsWith(next) ? reason.slice(0, reason.length - next.length).trimEnd() : reason),
    {
      status: response.ok ? 502 : response.status,
      ...(retryable === undefined ? {} : { retryable }),
      ...(remediation === undefined ? {} : { remediation: named(remediation) }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(Number.isNaN(seconds) ? {} : { retryAfterMs: seconds * 1_000 }),
    },
  );
}

function codeOf(status: number): FailureCode {
  const codes: Record<number, FailureCode> = {
    401: 'unauthenticated',
    403: 'forbidden',
    404: 'not_found',
    413: 'payload_too_large',
    429: 'rate_limited',
    432: 'limit_reached',
    503: 'upstream_unavailable',
    504: 'upstream_timeout',
  };
  return codes[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : 'upstream_bad_answer');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
