import type { Context } from 'hono';
import type { HeadgateError } from '../../core/errors.ts';
import type { Body } from './request-body.ts';

/** How one operation looks on the wire of an API: decodes requests to our input, encodes our output. */
export interface Wire {
  /** The operation's name. */
  name: string;
  /** The key of a request, where clients cannot send it as others do. */
  keyOf?(context: Context): string | undefined;
  /** The fields of a request; by default those of its JSON body. */
  read?(context: Context): Body | Promise<Body>;
  /** Throws `invalid_request` with the messages of that API. */
  decode(body: Body): Body;
  /** The answer as JSON, or whole where it is not. */
  encode(output: never, asked: Body): object;
  /** A failure in the form of that API; by default in Tavily's. */
  fail?(error: HeadgateError, requestId: string | undefined): Response;
  /** The time limit of a call, when it is not the usual one. */
  timeoutMs?(body: Body, usualMs: number): number;
  /** Fields of the response that the contract lacks, as JSON Schema, for the documentation. */
  adds?: Record<string, unknown>;
}
