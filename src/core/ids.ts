import { randomBytes, randomUUID } from 'node:crypto';

/** A request id, in the form Tavily's clients know. */
export const newRequestId = (): string => randomUUID();

/** A 128-bit id that nobody outside can guess: it marks the edges of untrusted text. */
export const newNonce = (): string => randomBytes(16).toString('hex');
