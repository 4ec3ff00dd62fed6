import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { createHash, timingSafeEqual } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';

export interface HttpGuardOptions {
  /** Host names under which the server may be reached; without them only local ones. */
  allowedHosts?: readonly string[];
  /** Set when the host has already checked `Host` and `Origin`. */
  isChecked?: boolean;
  /** Origins whose pages may call the server; without them only local ones. */
  allowedOrigins?: readonly string[];
  /** If set, every request must have it as `Authorization: Bearer …`. */
  token?: string;
  /** Identifies the caller, which tools see as `context.auth`, or throws what the caller is told. */
  authenticate?: (request: Request, address: string) => Promise<unknown>;
}

/** What the host knows about a request. */
export interface RequestFacts {
  /** What the host knows about the caller. */
  auth?: unknown;
  /** The address of the client. */
  address?: string;
}

/**
 * Checks a request before its body is read. A web page must not reach a local server through a name that it
 * controls, so `Host` and `Origin` are checked first.
 */
export function createHttpGuard(
  options: HttpGuardOptions,
): (request: Request, facts: RequestFacts) => Promise<{ refused: Response } | { auth: unknown }> {
  const { token, authenticate } = options;
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(options.allowedOrigins ?? localhostAllowedOrigins())];
  return async (request, { auth, address = '' }) => {
    const foreign =
      options.isChecked === true
        ? undefined
        : (hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins));
    if (foreign !== undefined) return { refused: foreign };
    if (token !== undefined && !carries(request, token))
      return { refused: refusal(401, 'Give the token as `Authorization: Bearer …`.') };
    if (authenticate === undefined) return { auth };
    try {
      return { auth: await authenticate(request, address) };
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      return { refused: refusal(error.status, error.explanation, error.retryAfterMs) };
    }
  };
}

/** Compares digests, so that neither length nor time reveals anything about the token. */
function carries(request: Request, token: string): boolean {
  const given = request.headers.get('authorization') ?? '';
  return timingSafeEqual(digest(given), digest(`Bearer ${token}`));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const refusal = (status: number, message: string, retryAfterMs?: number): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message } },
    {
      status,
      headers: {
        ...(status === 401 && { 'www-authenticate': 'Bearer' }),
        ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
      },
    },
  );
