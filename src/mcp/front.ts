import type { Readable } from 'node:stream';
import {
  completed,
  discoverResult,
  initializeResult,
  listResult,
  MODERN_VERSIONS,
  type Era,
  type ServerIdentity,
} from '../bridge/mcp/answers.ts';
import type { AgentTool } from '../bridge/tool.ts';
import { LIMITS } from '../core/limits.ts';
import { OFFERED, type ToolsetLanguage } from '../toolsets/offered.ts';

/**
 * The front of the stdio server. It answers the handshake (`initialize`, `server/discover`, and the lists that never
 * change) from static data; the MCP SDK and the engine are loaded with the first other message, or when idle.
 */

export interface Message {
  jsonrpc?: unknown;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

/** The real server: takes messages, writes answers. */
export interface RealServer {
  /** `isReplay`: the front has answered it. */
  deliver(message: Message, isReplay?: boolean): void;
  /** Loads what a client without a 2025 handshake needs. */
  prepare?(): void;
  close(): Promise<void>;
}

/** The tools and the server identity that a client sees. */
export interface FrontTable {
  identity: ServerIdentity;
  language?: ToolsetLanguage;
  tools: Pick<AgentTool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'>[];
}

export interface FrontOptions {
  input: Readable;
  /** Writes one line to the client. */
  write(line: string): void;
  table: FrontTable;
  /** The tools are another server's to list. */
  isRemote?: boolean;
  /** `isAhead`: nobody waits for it yet. */
  load(write: (message: unknown) => void, isAhead: boolean): Promise<RealServer>;
}

/** Where clients of the 2026 revision name it, in every request. */
export const CLAIM = 'io.modelcontextprotocol/protocolVersion';
const PRELOAD_AFTER_MS = 20;

/** Serves until the input ends; resolves when everything is closed. */
export function serveFront({ input, table, isRemote = false, ...options }: FrontOptions): Promise<void> {
  const write = (message: unknown): void => options.write(`${JSON.stringify(message)}\n`);
  const real = createLateServer(options.load, write);

  const receive = (line: string): void => {
    const message = parseLine(line);
    if (message === undefined) {
      const error = { code: -32_700, message: 'Parse error: send one JSON-RPC message per line.' };
      write({ jsonrpc: '2.0', id: null, error });
      return;
    }
    // The lists never change, so the table answers them for as long as the process runs.
    const isList = isStaticList(message.method);
    const isForTable = !real.isLoading() || isList;
    const isLocal = !isRemote || !isList;
    const result = isForTable && isLocal ? answerFrom(table, message, real.hasOpening()) : undefined;
    if (result !== undefined) write({ jsonrpc: '2.0', id: message.id, result });
    if (message.method === 'tools/list') setTimeout(real.load, PRELOAD_AFTER_MS).unref();
    if (isOpening(message) && !real.isLoading()) real.remember(message);
    else if (result === undefined) real.deliver(message);
  };

  return new Promise((resolve) => readLines(input, receive, () => void real.close().then(resolve)));
}

/** The result for a handshake message; undefined sends the message to the real server. */
function answerFrom(
  table: FrontTable,
  message: Message,
  hasOpening: boolean,
): Record<string, unknown> | undefined {
  const { identity } = table;
  if (message.id === undefined || message.id === null) return undefined;
  const claim = message.params?._meta?.[CLAIM];
  const isModern = MODERN_VERSIONS.some((version) => version === claim);
  if (message.method === 'server/discover' && isModern) return discoverResult(identity);
  if (isOpening(message)) return initializeResult(identity, String(message.params?.['protocolVersion']));
  if (message.params?.['cursor'] !== undefined) return undefined;
  if (!isModern && (claim !== undefined || !hasOpening)) return undefined;
  return staticList(table, message.method, isModern ? 'modern' : 'legacy');
}

const isStaticList = (method: string | undefined): boolean =>
  method === 'tools/list' || method === 'prompts/list' || method === 'resources/templates/list';

/** A list that is the same for every caller; undefined for other methods. */
export function staticList(
  { identity, tools, language = 'en' }: FrontTable,
  method: string | undefined,
  era: Era,
): Record<string, unknown> | undefined {
  const { prompts, templates } = OFFERED[language];
  if (method === 'tools/list') return listResult(tools as AgentTool[], identity, era);
  if (method === 'prompts/list') return completed({ prompts }, identity, era);
  if (method === 'resources/templates/list')
    return completed({ resourceTemplates: templates }, identity, era);
  return undefined;
}

/** The 2025-era handshake, which the real server must see too. */
const isOpening = (message: Message): boolean =>
  message.method === 'notifications/initialized' ||
  (message.method === 'initialize' && typeof message.params?.['protocolVersion'] === 'string');

/** Loads the server lazily and replays the handshake to it; answers already sent are dropped. */
function createLateServer(load: FrontOptions['load'], write: (message: unknown) => void) {
  const opening: Message[] = [];
  const answered = new Set<unknown>();
  let loading: Promise<RealServer> | undefined;

  const pass = (message: unknown): void => {
    const { id, method } = message as Message;
    if (method !== undefined || id === undefined || !answered.delete(id)) write(message);
  };
  const begin = (isAhead = false): Promise<RealServer> => {
    loading ??= load(pass, isAhead).then((server) => {
      for (const message of opening) {
        if (message.method === 'initialize') answered.add(message.id);
        server.deliver(message, true);
      }
      if (opening.length === 0) server.prepare?.();
      return server;
    });
    return loading;
  };
  const fail = (message: Message, thrown: unknown): void => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    if (message.id != null)
      write({ jsonrpc: '2.0', id: message.id, error: { code: -32_603, message: reason } });
  };
  return {
    isLoading: () => loading !== undefined,
    hasOpening: () => opening.length > 0,
    remember: (message: Message) => void opening.push(message),
    load: () => void begin(true).catch(() => undefined),
    deliver: (message: Message) =>
      void begin().then(
        (server) => server.deliver(message),
        (thrown: unknown) => fail(message, thrown),
      ),
    close: async () => {
      const server = await loading?.catch(() => undefined);
      await server?.close();
    },
  };
}

function parseLine(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `receive` for every line, and `end` once. A line over the limit is passed on as an empty line. */
function readLines(input: Readable, receive: (line: string) => void, end: () => void): void {
  let rest = '';
  let isSkipping = false;
  let hasEnded = false;
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isSkipping && line.trim() !== '') receive(line);
      isSkipping = false;
    }
    if (rest.length <= LIMITS.messageBytesMax) return;
    if (!isSkipping) receive('');
    isSkipping = true;
    rest = '';
  });
  const endOnce = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    end();
  };
  for (const event of ['end', 'close', 'error']) input.once(event, endOnce);
}
