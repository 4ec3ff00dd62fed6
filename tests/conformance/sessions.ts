import { WebStandardStreamableHTTPServerTransport, type McpServer } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';

/**
 * 2025 clients with sessions. Our tools ask clients for nothing, so the product serves 2025 clients without sessions; the
 * suite's sampling and elicitation scenarios need them.
 */
export function createSessions(createServer: () => McpServer): {
  fetch(request: Request): Promise<Response>;
} {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known !== undefined) return known.handleRequest(request);
      if (id !== null) return new Response('No such session.', { status: 404 });
      const transport: WebStandardStreamableHTTPServerTransport =
        new WebStandardStreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (session) => void sessions.set(session, transport),
          onsessionclosed: (session) => void sessions.delete(session),
        });
      await createServer().connect(transport);
      return transport.handleRequest(request);
    },
  };
}
