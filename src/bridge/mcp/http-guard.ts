import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { createHash, timingSafeEqual } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';

export interface HttpGuardOptions {
  /** Names under which the server may be reached; without them only this machine's own. */
  allowedHosts?: readonly string[];
  /** Whoever hands the requests over has checked `Host` and `Origin` already. */
  isChecked?: boolean;
  /** Hosts whose pages may call the server; without them only this machine's own. */
  allowedOrigins?: readonly string[];
  /** When given, every request must carry it as `Authorization: Bearer …`. */
  token?: string;
  /** Says who asks, which reaches the tools as `context.auth`, or throws what they are told. */
  authenticate?: (request: Request, address: string) => Promise<unknown>;
}

/** What the host knows about a request. */
export interface RequestFacts {
  /** What it found out about the caller. */
  auth?: unknown;
  /** Where the request came from. */
  address?: string;
}

/**
 * Decides before anything of a body is read. A page on the internet must not reach a server on this machine through a name that it
 * controls, so the `Host` and `Origin` headers come first.
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

/** Compares digests, so that neither the length nor the time of the comparison tells anything about the token. */
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
