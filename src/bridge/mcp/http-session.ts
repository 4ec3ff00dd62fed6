import { randomUUID } from 'node:crypto';

/**
 * The session of a 2025 client over HTTP. Nothing is kept for it here, so it outlives restarts and is good at every gateway: what the
 * client said at its start travels in the id, which it shows with every request. That is the client's own word about
 * itself, so nobody gains by changing it.
 */
export interface HttpSession {
  id: string;
  offersSampling: boolean;
}

const SHAPE = /^hg-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-sampling)?$/;
const SAMPLING = '-sampling';

/** A new session for a client with these capabilities. */
export const openSession = (capabilities: Record<string, unknown>): HttpSession => {
  const offersSampling = capabilities['sampling'] !== undefined;
  return { id: `hg-${randomUUID()}${offersSampling ? SAMPLING : ''}`, offersSampling };
};

/** The session that a request belongs to; undefined when it shows none of ours. */
export function sessionOf(request: Request): HttpSession | undefined {
  const id = request.headers.get('mcp-session-id');
  return id !== null && SHAPE.test(id) ? { id, offersSampling: id.endsWith(SAMPLING) } : undefined;
}
