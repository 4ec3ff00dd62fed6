import { randomBytes, randomUUID } from 'node:crypto';

/** A request ID in the form that Tavily's clients expect. */
export const newRequestId = (): string => randomUUID();

/** A 128-bit random ID that marks the edges of untrusted text. It cannot be guessed from outside. */
export const newNonce = (): string => randomBytes(16).toString('hex');
