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

/** A typed client of a gateway. Every method throws `GatewayError`, or the reason of your own signal. */
export interface Client {
  search(request: Wire.SearchRequest, options?: RequestOptions): Promise<Wire.SearchAnswer>;
  extract(request: Wire.ExtractRequest, options?: RequestOptions): Promise<Wire.ExtractAnswer>;
  crawl(request: Wire.CrawlRequest, options?: RequestOptions): Promise<Wire.CrawlAnswer>;
  map(request: Wire.MapRequest, options?: RequestOptions): Promise<Wire.MapAnswer>;
  answer(request: Wire.AnswerRequest, options?: RequestOptions): Promise<Wire.AnswerAnswer>;
  /** Starts a research and returns at once. */
  research(request: Wire.ResearchRequest, options?: RequestOptions): Promise<Wire.ResearchTaken>;
  researchState(id: string, options?: RequestOptions): Promise<Wire.ResearchStatusAnswer>;
  usage(options?: RequestOptions): Promise<Wire.UsageAnswer>;
}

const TIMEOUT_MS = 60_000;
const LONG_TIMEOUT_MS = 160_000;
const RETRIES = 2;
const RETRY_BASE_MS = 500;
const RETRY_WAIT_MAX_MS = 10_000;

/**
 * @example
 * const web = createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey });
 * const { results } = await web.search({ query: 'tidal mills', max_results: 3 });
 */
export function createClient(settings: ClientOptions): Client {
  const call =
    <Answer>(method: string, path: string, timeoutMs: number) =>
    (request: unknown, options: RequestOptions = {}): Promise<Answer> =>
      withRetries(settings, { timeoutMs, ...options }, (signal) =>
        send<Answer>(settings, method, path, request, { ...options, signal }),
      );
  const usage = call<Wire.UsageAnswer>('GET', '/usage', TIMEOUT_MS);
  return {
    search: call('POST', '/search', TIMEOUT_MS),
    extract: call('POST', '/extract', TIMEOUT_MS),
    crawl: call('POST', '/crawl', LONG_TIMEOUT_MS),
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
      const error = thrown as GatewayError;
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
      ...(request === undefined ? {} : { 'content-type': 'application/json' }),
      ...(settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    },
    ...(request === undefined ? {} : { body: JSON.stringify(request) }),
  }).catch((cause: unknown) => {
    throw unreachable(settings.baseUrl, options.signal, cause);
  });
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable(settings.baseUrl, options.signal, cause);
  });
  const body = parse(text);
  if (response.ok && body !== undefined) return body as Answer;
  throw failure(response, body);
}

function unreachable(baseUrl: string, signal: AbortSignal, cause: unknown): GatewayError {
  return signal.aborted
    ? new GatewayError('The gateway did not answer in time.', { status: 0, code: 'timeout', cause })
    : new GatewayError(`The gateway at ${baseUrl} cannot be reached.`, {
        status: 0,
        code: 'unreachable',
        cause,
      });
}

function failure(response: Response, body: unknown): GatewayError {
  const { detail } = (body ?? {}) as {
    detail?: string | { error?: string; code?: string; request_id?: string };
  };
  const told = typeof detail === 'object' ? detail : { error: detail };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new GatewayError(told.error ?? `The gateway answered ${response.status} without a reason.`, {
    status: response.ok ? 502 : response.status,
    code: told.code ?? 'unknown',
    ...(told.request_id === undefined ? {} : { requestId: told.request_id }),
    ...(Number.isNaN(seconds) ? {} : { retryAfterMs: seconds * 1_000 }),
  });
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

/** Why a gateway did not answer. `code` and `status` are the gateway's; a failed connection has status 0. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** How long the gateway asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: { status: number; code: string; requestId?: string; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** True when the same call may succeed later, unchanged. A used-up plan (432) does not recover quickly. */
  get retryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503 || this.status === 504;
  }
}
