import type { AuthorizationServer, ClientAuth } from 'oauth4webapi';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { own } from '../../core/own-text.ts';
import type { Services } from '../../operations/services.ts';

/** The client library is loaded with the first sign-in. */
export const loadOAuth = () => import('./oauth-client.ts');

/** An authorization server that the operator has configured. */
export interface Issuer {
  /** Its metadata, which names the issuer exactly as configured. */
  metadata(signal: AbortSignal): Promise<AuthorizationServer>;
  /** Options of the library: every request is bounded and has a deadline. */
  options(signal: AbortSignal): Promise<Record<symbol | string, unknown>>;
  /** Sends one request to an address that the metadata names. */
  ask(url: string, request: IssuerRequest): Promise<Response>;
}

interface IssuerRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * The issuer's own origin is asked directly, as every configured address is. What its metadata names
 * elsewhere goes through the guard, so that it cannot lead into a private network that `[guard] allow` does
 * not name. Metadata is cached, and so, for a moment, is the failure to get it.
 */
export function createIssuer(services: Services, issuer: string): Issuer {
  const address = new URL(issuer);
  const isHttps = address.protocol === 'https:';
  let known: { until: number; metadata: Promise<AuthorizationServer> } | undefined;

  const send: Issuer['ask'] = async (url, { method = 'GET', headers = {}, body, signal }) => {
    const target = new URL(url);
    if (isHttps && target.protocol !== 'https:')
      throw new HeadgateError('blocked_host', 'An https issuer is only asked over https.');
    const bounds = { timeoutMs: LIMITS.issuerMs, bytesMax: LIMITS.issuerBytesMax };
    const text = body instanceof URLSearchParams ? { body: body.toString() } : {};
    const until = signal ?? AbortSignal.timeout(LIMITS.issuerMs);
    if (target.origin === address.origin) {
      const answer = await services.upstream.send(
        { method: method === 'POST' ? 'POST' : 'GET', url, headers, ...text },
        { signal: until, provider: 'The identity provider', ...bounds },
      );
      return answerOf(answer.status, answer.headers, answer.body);
    }
    try {
      const page = await services.fetch(url, {
        signal: until,
        caller: 'sign-in',
        gate: undefined,
        headers,
        ...text,
        ...bounds,
        types: 'any',
        redirects: 'refuse',
      });
      return answerOf(page.status, page.headers, new TextDecoder().decode(page.bytes));
    } catch (thrown) {
      const { code, data } = HeadgateError.from(thrown);
      if (code !== 'page_status' || typeof data['status'] !== 'number') throw thrown;
      // The guard does not read the body of a refusal. A token endpoint says 400 to what is no longer valid.
      const error = data['status'] === 400 ? 'invalid_grant' : 'server_error';
      return answerOf(data['status'], { 'content-type': 'application/json' }, JSON.stringify({ error }));
    }
  };
  const read = createShared(services, send);
  const ask: Issuer['ask'] = (url, request) =>
    (request.method ?? 'GET') === 'GET' && request.headers?.['authorization'] === undefined
      ? read(url)
      : send(url, request);
  const options: Issuer['options'] = async (signal) => {
    const { allowInsecureRequests, customFetch } = await loadOAuth();
    // The configuration accepts http only on this machine.
    return { signal, [customFetch]: ask, ...(isHttps ? {} : { [allowInsecureRequests]: true }) };
  };
  const discover = async (): Promise<AuthorizationServer> => {
    const { discoveryRequest, processDiscoveryResponse } = await loadOAuth();
    const bounded = await options(AbortSignal.timeout(LIMITS.issuerMs));
    return processDiscoveryResponse(address, await discoveryRequest(address, bounded));
  };
  return {
    ask,
    options,
    metadata: (signal) => {
      signal.throwIfAborted();
      const now = services.clock.monotonic();
      if (known !== undefined && now < known.until) return known.metadata;
      const entry = { until: now + LIMITS.issuerTtlMs, metadata: discover() };
      entry.metadata.catch(() => {
        entry.until = now + LIMITS.issuerFailedMs;
      });
      known = entry;
      return entry.metadata;
    },
  };
}

/**
 * Documents that are the same for everybody are fetched once for all who want them at the same time, and not
 * again for a moment when that failed: whoever sends tokens decides how often keys are looked up.
 */
function createShared(services: Services, send: Issuer['ask']): (url: string) => Promise<Response> {
  const shared = new Map<string, { until: number; answer: Promise<Response> }>();
  return (url) => {
    const now = services.clock.monotonic();
    const found = shared.get(url);
    if (found !== undefined && now < found.until) return found.answer.then((answer) => answer.clone());
    const answer = send(url, { headers: { accept: 'application/json' } }).then((response) => {
      if (response.status >= 500)
        throw new HeadgateError(
          'upstream_unavailable',
          own`The issuer answers with HTTP ${response.status}.`,
        );
      return response;
    });
    const entry = { until: now + LIMITS.issuerSharedMs, answer };
    answer.catch(() => {
      entry.until = services.clock.monotonic() + LIMITS.issuerFailedMs;
    });
    if (shared.size >= SHARED_MAX) shared.clear();
    shared.set(url, entry);
    return answer.then((response) => response.clone());
  };
}

/** Metadata and keys. */
const SHARED_MAX = 4;

const EMPTY = new Set([204, 205, 304]);

const answerOf = (status: number, headers: Record<string, string>, body: string): Response =>
  new Response(EMPTY.has(status) ? null : body, {
    status,
    headers: { 'content-type': headers['content-type'] ?? '', location: headers['location'] ?? '' },
  });

/** How a client with this secret identifies itself at the server. */
export async function clientAuthentication(
  server: AuthorizationServer,
  secret: string | undefined,
): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await loadOAuth();
  if (secret === undefined) return None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}
