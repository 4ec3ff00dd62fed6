import { gatewayFetch } from '../../client/gateway-fetch.ts';
import { systemClock } from '../../core/clock.ts';
import { withinTime } from '../../core/deadline.ts';
import { shapeProblem } from '../../core/json-shape.ts';
import { LIMITS } from '../../core/limits.ts';
import { retryAfterMs } from '../../core/retry-after.ts';
import { byteSize, clip, oneLine } from '../../core/text.ts';
import type { Check, Heard, ServerAnswer } from './check.ts';

/** The server that is checked, and how it is asked. */
export interface Server {
  base: URL;
  key: string | undefined;
  /** A page that it can read. */
  page: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** One call, and what its answer must be. */
export interface Probe {
  /** The name of the first check, and the beginning of the names of the others. */
  id: string;
  method: 'GET' | 'POST';
  /** `{name}` stands for the `request_id` that this earlier call was answered with. */
  path: string;
  /** May depend on what was heard earlier. */
  body?: object | string | ((heard: Heard) => object);
  headers?: Record<string, string>;
  /** How the key is sent; `usual` by default. */
  auth?: 'usual' | 'body' | 'wrong' | 'none';
  /** The statuses of which one is expected; 200 by default. */
  status?: readonly number[];
  /** The type of the answer; JSON by default. */
  type?: string;
  /** The least and the most credits that the call costs at the real service; none by default. */
  credits?: readonly [number, number];
  /** Asked again while this is the status. */
  whileStatus?: number;
  /** How many times longer than others it may take. */
  patience?: number;
  checks?: Check[];
}

/** An API: the calls that are made, and how its key is sent. */
export interface Kit {
  title: string;
  probes(server: Server): Probe[];
  auth(key: string): Record<string, string>;
}

const POLL_MS = 500;
const RETRY_MS_MAX = 30_000;
const WRONG_KEY = 'conform-wrong-key-0000';

/** The answer to a call, or what is wrong with it in words. A busy server is asked once more. */
export async function ask(
  probe: Probe,
  { path, body }: { path: string; body: object | string | undefined },
  kit: Kit,
  server: Server,
): Promise<{ answer: ServerAnswer; calls: number } | { problem: string; calls: number }> {
  const { signal } = server;
  const ms = server.timeoutMs * (probe.patience ?? 1);
  let calls = 0;
  try {
    return await withinTime(signal, ms, systemClock, async (within) => {
      for (;;) {
        calls += 1;
        const { answer, busyMs } = await once(
          request({ ...probe, body }, kit, server),
          urlOf(server.base, path),
          sentSecrets(kit, server),
          within,
        );
        if (answer.status === 429 && busyMs !== undefined && calls === 1) {
          await systemClock.sleep(busyMs, within);
          continue;
        }
        if (answer.status !== probe.whileStatus) return { answer, calls };
        await systemClock.sleep(POLL_MS, within);
      }
    });
  } catch (thrown) {
    signal.throwIfAborted();
    return { problem: problemOf(thrown, ms), calls };
  }
}

/** `https://host/prefix` and `/search?q=…`. */
function urlOf(base: URL, path: string): URL {
  const url = new URL(base);
  const [pathname = '', query = ''] = path.split('?', 2);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${pathname}`;
  url.search = query;
  return url;
}

function request(
  { method, body, headers, auth = 'usual' }: Omit<Probe, 'body'> & { body: object | string | undefined },
  kit: Kit,
  { key }: Server,
): RequestInit {
  const sent = auth === 'usual' ? key : auth === 'wrong' ? WRONG_KEY : undefined;
  const whole = auth === 'body' && typeof body === 'object' ? { ...body, api_key: key } : body;
  return {
    method,
    // What a redirect leads to is not the server that was named, and must not get the key.
    redirect: 'manual',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(sent === undefined ? {} : kit.auth(sent)),
      ...headers,
    },
    ...(whole === undefined ? {} : { body: typeof whole === 'string' ? whole : JSON.stringify(whole) }),
  };
}

/** The key, also as it is in a header, and a path that may contain one. */
export function sentSecrets(kit: Kit, { key, base }: Server): string[] {
  const sent =
    key === undefined
      ? []
      : [key, ...Object.values(kit.auth(key)).map((value) => value.replace(/^\S+ /, ''))];
  return base.pathname === '/' ? sent : [...sent, base.pathname];
}

/** Servers repeat what they are sent, in errors above all. */
export const hidden = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);

async function once(init: RequestInit, url: URL, secrets: readonly string[], signal: AbortSignal) {
  const response = await gatewayFetch(url, { ...init, signal });
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // Before it is cut anywhere: also half a key is too much.
  const text = hidden(await textOf(response), secrets);
  const answer: ServerAnswer = { status: response.status, type, text, json: jsonOf(text) };
  const waitMs = retryAfterMs(Object.fromEntries(response.headers), Date.now());
  return { answer, busyMs: waitMs !== undefined && waitMs <= RETRY_MS_MAX ? waitMs : undefined };
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > LIMITS.upstreamBodyBytesMax)
      throw new RangeError(`an answer of more than ${byteSize(LIMITS.upstreamBodyBytesMax)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return shapeProblem(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

function problemOf(thrown: unknown, ms: number): string {
  const { name, message, cause } = thrown as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no whole answer within ${ms / 1_000} s`;
  if (name === 'RangeError') return message;
  return clip(oneLine(`no answer: ${cause?.code ?? cause?.message ?? message}`), 120);
}
