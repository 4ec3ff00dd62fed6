import { randomBytes, randomUUID } from 'node:crypto';
import { currentScope } from './scope.ts';

/** A request ID in the form that Tavily's clients expect. */
export const newRequestId = (): string => currentScope()?.requestId ?? randomUUID();

/** A 128-bit random ID. */
export const newNonce = (): string => randomBytes(16).toString('hex');

/** The ID that marks the edges of untrusted text in a call. It cannot be guessed from outside. */
export const callNonce = (): string => currentScope()?.nonce ?? newNonce();
