import { MODERN_VERSIONS } from '../bridge/mcp/answers.ts';
import { errorResult } from '../bridge/result.ts';
import type { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { clip, oneLine } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { staticList, type FrontTable, type Message, type RealServer } from './front.ts';
import {
  claimOf,
  createPost,
  cutOff,
  gatewayFailure,
  messagesIn,
  type GatewayAddress,
  type GatewaySession,
} from './gateway-post.ts';

export interface GatewayServerOptions extends GatewayAddress {
  /** What the client is shown while the gateway cannot be asked. */
  table: FrontTable;
  write(message: unknown): void;
  /** Writes a line for the person who set this up. */
  say(line: string): void;
}

type Asked = Message & { id: string | number; method: string };

/**
 * Hands every message to a gateway over HTTP, and its answers back. Each message is a request of its own and the gateway's sessions
 * hold no state, so there is no connection to restore: the next message reaches a gateway that was restarted.
 */
export function createGatewayServer(options: GatewayServerOptions): RealServer {
  const { url, table, write } = options;
  const running = new Map<unknown, AbortController>();
  const post = createPost(options);
  const hear = createSayer(options.say);
  let hello: Asked | undefined;
  let session: Promise<GatewaySession> | undefined;

  const getSession = async (): Promise<GatewaySession | undefined> => {
    if (hello === undefined) return undefined;
    session ??= open(hello).catch((thrown: unknown) => {
      session = undefined;
      throw thrown;
    });
    return session;
  };
  const open = async (message: Asked): Promise<GatewaySession> => {
    const signal = AbortSignal.timeout(LIMITS.callTimeoutMs);
    const response = await post(message, undefined, signal);
    let version = '';
    for await (const answer of messagesIn(response)) {
      if (answer.id !== message.id) continue;
      const { protocolVersion, serverInfo } = (answer.result ?? {}) as OpeningResult;
      version = protocolVersion ?? '';
      hear.version(serverInfo?.version);
      write(answer);
    }
    return { id: response.headers.get('mcp-session-id'), version };
  };
  const ask = async (message: Asked): Promise<void> => {
    const { stop, timer } = startTimer();
    running.set(message.id, stop);
    try {
      const response = await post(message, await getSession(), stop.signal);
      let isAnswered = false;
      for await (const answer of messagesIn(response)) {
        if (!running.has(message.id)) return;
        // A message that was refused before it was read has no id.
        answer.id ??= answer.method === undefined ? message.id : undefined;
        isAnswered ||= answer.id === message.id && answer.method === undefined;
        hear.version(versionIn(answer.result));
        write(answer);
      }
      if (!isAnswered) throw cutOff();
      hear.works();
    } catch (thrown) {
      // A cancelled request gets no answer.
      if (!running.has(message.id)) return;
      const error = gatewayFailure(thrown, url);
      hear.problem(error.explanation);
      write({ jsonrpc: '2.0', id: message.id, ...failedAnswer(message, error, table) });
    } finally {
      clearTimeout(timer);
      running.delete(message.id);
    }
  };
  /** Notifications and the client's answers to the gateway's questions. Nobody waits for what becomes of them. */
  const tell = async (message: Message): Promise<void> => {
    const signal = AbortSignal.timeout(LIMITS.callTimeoutMs);
    await (await post(message, await getSession(), signal)).body?.cancel();
  };
  const cancel = (id: unknown): void => {
    const stop = running.get(id);
    running.delete(id);
    stop?.abort(new DOMException('The client cancelled the call.', 'AbortError'));
  };
  return {
    deliver: (message, isReplay = false) => {
      if (message.method === 'initialize' && isRequest(message)) {
        hello = message;
        void getSession().catch((thrown: unknown) => hear.problem(gatewayFailure(thrown, url).explanation));
        return;
      }
      if (isReplay || message.method === 'notifications/initialized') return;
      if (isRequest(message)) return void ask(message);
      // Clients of 2026 cancel by ending the request; those of 2025 also say so.
      const told = hello === undefined ? Promise.resolve() : tell(message).catch(() => undefined);
      if (message.method === 'notifications/cancelled')
        void told.finally(() => cancel(message.params?.['requestId']));
    },
    close: async () => {
      for (const id of running.keys()) cancel(id);
    },
  };
}

function startTimer(): { stop: AbortController; timer: NodeJS.Timeout } {
  const stop = new AbortController();
  const isLate = (): void => stop.abort(new DOMException('Time is up.', 'TimeoutError'));
  return { stop, timer: setTimeout(isLate, ANSWER_MS) };
}

/** Longer than the longest call of a gateway. */
const ANSWER_MS = LIMITS.researchStreamMs + 30_000;

/** Hosts list tools and prompts once. Those of this version stay, so that calls work as soon as the gateway does. */
function failedAnswer(message: Asked, error: HeadgateError, table: FrontTable): object {
  if (message.method === 'tools/call') return { result: errorResult(error) };
  const isModern = MODERN_VERSIONS.some((version) => version === claimOf(message));
  const result = staticList(table, message.method, isModern ? 'modern' : 'legacy');
  return result === undefined ? { error: { code: -32_603, message: error.explanation } } : { result };
}

interface OpeningResult {
  protocolVersion?: string;
  serverInfo?: { version?: string };
}

const isRequest = (message: Message): message is Asked =>
  message.id !== undefined && message.id !== null && message.method !== undefined;

/** Since 2026 every result says which server made it. */
const versionIn = (result: unknown): string | undefined => {
  const meta = (result as { _meta?: Record<string, unknown> } | undefined)?._meta;
  return (meta?.['io.modelcontextprotocol/serverInfo'] as { version?: string } | undefined)?.version;
};

/** Says what is wrong once, until it works again. */
function createSayer(say: (line: string) => void) {
  let last: string | undefined;
  let hasVersion = false;
  return {
    problem: (text: string): void => {
      if (text !== last) say(`headgate: ${text}\n`);
      last = text;
    },
    works: (): void => {
      if (last !== undefined) say('headgate: The gateway answers again.\n');
      last = undefined;
    },
    version: (version: string | undefined): void => {
      if (version === undefined || hasVersion) return;
      hasVersion = true;
      if (version === VERSION) return;
      say(
        `headgate: The gateway is version ${clip(oneLine(version), 40)}, this command ${VERSION}. Update the older one if something is missing.\n`,
      );
    },
  };
}
