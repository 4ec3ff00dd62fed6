import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../core/limits.ts';
import type { ClientLogLevel, McpLogLevel } from './log-level.ts';

/**
 * The running requests of 2025 clients over HTTP. Each has its own server; messages about one that a client
 * posts in another request (a cancellation, a reply to a question of the server) are routed to it here.
 */
export interface Exchanges {
  /** Registers a server, before it is connected, for its peer. */
  open(server: Pick<Server, 'connect'>, peer: string): void;
  /** Delivers a posted message to the exchange it is about; false when there is none. */
  deliver(message: unknown, peer: string): boolean;
  /** The log level that a peer has set at this gateway. */
  levelOf(peer: string): ClientLogLevel;
  readonly size: number;
}

interface Exchange {
  peer: string;
  /** The IDs of the client's unanswered requests. */
  requests: Set<unknown>;
  receive(message: JSONRPCMessage): void;
  close(): Promise<void>;
}

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

export function createExchanges(): Exchanges {
  const open = new Map<string, Exchange>();
  const levels = new Map<string, McpLogLevel | undefined>();
  const reply = (message: Message, peer: string): boolean => {
    const [name = '', number] = String(message.id).split('.');
    const exchange = open.get(name);
    if (exchange?.peer !== peer) return false;
    exchange.receive({ ...message, id: Number(number) } as JSONRPCMessage);
    return true;
  };
  const cancel = (message: Message, peer: string): boolean => {
    const id = message.params?.requestId;
    const exchange = [...open.values()].find((one) => one.peer === peer && one.requests.has(id));
    if (exchange === undefined) return false;
    exchange.receive(message as JSONRPCMessage);
    exchange.requests.delete(id);
    // A cancelled request gets no response, so nothing else would end its stream.
    if (exchange.requests.size === 0) void exchange.close();
    return true;
  };
  return {
    open: (server, peer) => {
      const connect = server.connect.bind(server);
      // The SDK creates the transport; this is the only place to get between it and the server.
      server.connect = (transport) => {
        const name = randomUUID();
        const { watched, exchange } = watch(transport, name, peer, () => open.delete(name));
        open.set(name, exchange);
        return connect(watched);
      };
    },
    deliver: (value, peer) => {
      if (typeof value !== 'object' || value === null) return false;
      const message = value as Message;
      if (message.method === 'notifications/cancelled') return cancel(message, peer);
      return message.method === undefined && message.id !== undefined && reply(message, peer);
    },
    levelOf: (peer) => ({
      get level() {
        return levels.get(peer);
      },
      set level(level) {
        const [oldest] = levels.keys();
        if (levels.size >= LIMITS.clientsMax && oldest !== undefined) levels.delete(oldest);
        levels.set(peer, level);
      },
    }),
    get size() {
      return open.size;
    },
  };
}

/**
 * Wraps a transport: tracks what is open on it, and gives the server's own requests IDs that are unique
 * across exchanges.
 */
function watch(
  transport: Transport,
  name: string,
  peer: string,
  closed: () => void,
): { watched: Transport; exchange: Exchange } {
  const requests = new Set<unknown>();
  const watched: Transport = {
    start: () => transport.start(),
    close: () => transport.close(),
    setSupportedProtocolVersions: (versions) => transport.setSupportedProtocolVersions?.(versions),
    send: (message, options) => {
      if ('id' in message && !('method' in message)) requests.delete(message.id);
      return transport.send(named(message, name), options);
    },
  };
  // The MCP SDK has handlers as fields, not events.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onmessage = (message, extra) => {
    if ('id' in message && 'method' in message) requests.add(message.id);
    watched.onmessage?.(message, extra);
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onerror = (error) => watched.onerror?.(error);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onclose = () => {
    closed();
    watched.onclose?.();
  };
  const receive = (message: JSONRPCMessage): void => watched.onmessage?.(message);
  return { watched, exchange: { peer, requests, receive, close: () => transport.close() } };
}

/** Every new server counts its requests from 0, but the client sees them side by side. */
function named(message: JSONRPCMessage, name: string): JSONRPCMessage {
  if (!('method' in message)) return message;
  if ('id' in message) return { ...message, id: `${name}.${String(message.id)}` };
  if (message.method !== 'notifications/cancelled') return message;
  const id = (message.params as { requestId?: unknown }).requestId;
  return { ...message, params: { ...message.params, requestId: `${name}.${String(id)}` } };
}
