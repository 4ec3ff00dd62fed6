/** An MCP server of the TypeScript SDK: connect it to a transport of that SDK, or hand it to something that does. */
export interface Server {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Tells open streams that lists have changed; the SDK's `InMemoryServerEventBus` is one. */
export interface ServerEventBus {
  publish(event: unknown): unknown;
  subscribe(listener: (event: never) => void): () => void;
}
