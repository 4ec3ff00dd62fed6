import { randomUUID } from 'node:crypto';

/**
 * The session of a 2025 client over HTTP. The server keeps no state: what the client said in `initialize` is
 * encoded in the ID, so a session survives restarts and works at every gateway. It only describes the client
 * itself, so nothing is gained by forging it.
 */
export interface HttpSession {
  id: string;
  offersSampling: boolean;
  offersElicitation: boolean;
}

const SHAPE = /^hg-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(-sampling)?(-elicitation)?$/;
const [SAMPLING, ELICITATION] = ['-sampling', '-elicitation'];

/** Creates a session for a client with these capabilities. */
export const openSession = (capabilities: Record<string, unknown>): HttpSession => {
  const offersSampling = capabilities['sampling'] !== undefined;
  const offersElicitation = offersForms(capabilities['elicitation']);
  const suffix = `${offersSampling ? SAMPLING : ''}${offersElicitation ? ELICITATION : ''}`;
  return { id: `hg-${randomUUID()}${suffix}`, offersSampling, offersElicitation };
};

/** The session of a request; undefined when it has none of ours. */
export function sessionOf(request: Request): HttpSession | undefined {
  const id = request.headers.get('mcp-session-id');
  if (id === null || !SHAPE.test(id)) return undefined;
  return { id, offersSampling: id.includes(SAMPLING), offersElicitation: id.endsWith(ELICITATION) };
}

/** Whether a client shows forms to its person: without a mode it means forms. */
export const offersForms = (elicitation: unknown): boolean =>
  typeof elicitation === 'object' &&
  elicitation !== null &&
  ('form' in elicitation || Object.keys(elicitation).length === 0);
