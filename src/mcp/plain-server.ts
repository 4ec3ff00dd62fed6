import {
  isOfferMethod,
  OFFER_METHODS,
  offerError,
  type OfferMethod,
  type Offers,
} from '../bridge/mcp/offers.ts';
import { isLogLevel, type ClientLogLevel } from '../bridge/mcp/log-level.ts';
import { runCall, tooManyCalls } from '../bridge/mcp/run-call.ts';
import { legacyVersion } from '../bridge/mcp/answers.ts';
import type { AgentTool } from '../bridge/tool.ts';
import { LIMITS } from '../core/limits.ts';
import { CLAIM, type Message, type RealServer } from './front.ts';

export interface PlainServerOptions {
  tools: readonly AgentTool[];
  offers: Offers;
  /** Whether a tool may ask the person at the client. */
  asksPerson?: boolean;
  write(message: unknown): void;
  /** Loads the server on the MCP SDK, for everything that is not answered here. */
  loadFull(): Promise<RealServer>;
}

/**
 * Answers 2025 clients whose model and person are not asked, which are nearly all there are. The MCP SDK takes as
 * long to load as everything else together, so it is loaded only for other messages and other clients.
 */
export function createPlainServer(options: PlainServerOptions): RealServer {
  const { tools, offers, asksPerson = false, write, loadFull } = options;
  const opening: Message[] = [];
  const running = new Map<unknown, AbortController>();
  const log: ClientLogLevel = { level: undefined };
  let full: Promise<RealServer> | undefined;

  const getFull = (): Promise<RealServer> => {
    full ??= loadFull().then((server) => {
      for (const message of opening) server.deliver(message);
      return server;
    });
    return full;
  };
  const pass = (message: Message): void =>
    void getFull().then(
      (server) => server.deliver(message),
      (thrown: unknown) => reply(message.id, { error: failure(thrown) }),
    );
  const reply: Reply = (id, answer) => {
    if (id !== undefined && id !== null) write({ jsonrpc: '2.0', id, ...answer });
  };
  const { run, cancel } = createRunning(running, reply);
  const call = (id: string | number, tool: AgentTool, params: CallParams): Promise<void> | void => {
    if (running.size >= LIMITS.toolCallsMax) return reply(id, { result: tooManyCalls() });
    const origin = {
      id,
      meta: params._meta,
      ...versionIn(opening),
      log,
      notify: async (notification: object) => write({ jsonrpc: '2.0', ...notification }),
    };
    return run(id, (signal) => runCall(tool, params.arguments ?? {}, { ...origin, signal }, {}), failure);
  };
  const give = (id: string | number, method: OfferMethod, params: Record<string, unknown>): Promise<void> =>
    run(id, async (signal) => OFFER_METHODS[method](offers, params, { signal }), offerError);
  /** Handles a message, or returns false. */
  const take = (message: Message): boolean => {
    const { id, method, params = {} } = message;
    if (method === 'notifications/cancelled') return cancel(params['requestId']);
    const hello = opening.find((one) => one.method === 'initialize');
    if (hello === undefined || !isRequest(message)) return false;
    if (hasCapability(hello, 'sampling') || (asksPerson && hasCapability(hello, 'elicitation'))) return false;
    const { level } = params;
    const isSetLevel = method === 'logging/setLevel' && isLogLevel(level);
    if (isSetLevel) log.level = level;
    if (method === 'ping' || isSetLevel) {
      reply(id, { result: {} });
      return true;
    }
    if (running.has(id)) return false;
    if (isOfferMethod(method) && isOfClient2025(params) && running.size < LIMITS.toolCallsMax) {
      void give(message.id, method, params);
      return true;
    }
    if (method !== 'tools/call' || !isCall(params)) return false;
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) return false;
    void call(message.id, tool, params);
    return true;
  };
  return {
    deliver: (message, isReplay = false) => {
      const isLateHello = message.method === 'notifications/initialized' && full === undefined;
      if (isReplay || isLateHello) opening.push(message);
      else if (!take(message)) pass(message);
    },
    prepare: () => void getFull().catch(() => undefined),
    close: async () => {
      for (const id of running.keys()) cancel(id);
      await (await full?.catch(() => undefined))?.close();
    },
  };
}

type Reply = (id: unknown, answer: { result: unknown } | { error: unknown }) => void;

function createRunning(running: Map<unknown, AbortController>, reply: Reply) {
  return {
    /** Runs until it is over or cancelled; a cancelled request gets no answer. */
    run: async (
      id: string | number,
      work: (signal: AbortSignal) => Promise<unknown>,
      failed: (thrown: unknown) => object,
    ): Promise<void> => {
      const stop = new AbortController();
      running.set(id, stop);
      const answer = (given: Parameters<Reply>[1]): void => {
        if (running.delete(id)) reply(id, given);
      };
      await work(stop.signal).then(
        (result) => answer({ result }),
        (thrown: unknown) => answer({ error: failed(thrown) }),
      );
    },
    cancel: (id: unknown): boolean => {
      const stop = running.get(id);
      running.delete(id);
      stop?.abort(new DOMException('The client cancelled the call.', 'AbortError'));
      return stop !== undefined;
    },
  };
}

interface CallParams {
  name: string;
  arguments?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value);

/** What does not look exactly so is for the SDK, which says what is wrong with it. */
const isRequest = (message: Message): message is Message & { id: string | number } =>
  message.jsonrpc === '2.0' && isId(message.id);

function isCall(params: object): params is CallParams {
  const { name, arguments: input = {}, _meta: meta = {}, ...rest } = params as Partial<CallParams>;
  return (
    typeof name === 'string' &&
    isObject(input) &&
    isObject(meta) &&
    meta[CLAIM] === undefined &&
    (meta['progressToken'] === undefined || isId(meta['progressToken'])) &&
    Object.keys(rest).length === 0
  );
}

/** The revision that `initialize` settled on. */
function versionIn(opening: readonly Message[]): { protocolVersion?: string } {
  const hello = opening.find((one) => one.method === 'initialize');
  return hello === undefined ? {} : { protocolVersion: legacyVersion(hello.params?.['protocolVersion']) };
}

/** A request without the revision that clients of 2026 name. */
const isOfClient2025 = ({ _meta: meta = {} }: Record<string, unknown>): boolean =>
  isObject(meta) && meta[CLAIM] === undefined;

const hasCapability = ({ params }: Message, name: 'sampling' | 'elicitation'): boolean =>
  isObject(params?.['capabilities']) && params['capabilities'][name] !== undefined;

const failure = (thrown: unknown) => ({
  code: -32_603,
  message: thrown instanceof Error ? thrown.message : String(thrown),
});
