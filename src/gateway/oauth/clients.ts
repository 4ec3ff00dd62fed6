import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { clip, oneLine } from '../../core/text.ts';
import type { GatewayContext } from '../door/context.ts';
import { isRedirectAllowed } from './redirect.ts';

/** A client that people may sign in to. */
export interface OAuthClient {
  id: string;
  /** As the client calls itself. */
  name: string;
  redirects: readonly string[];
}

export type FindClient = (id: string, signal: AbortSignal) => Promise<OAuthClient | undefined>;

const clientDocument = z.looseObject({
  client_id: z.string(),
  client_name: z.string().min(1).max(1_000),
  redirect_uris: z.array(z.string()).min(1).max(LIMITS.redirectsPerClientMax),
});

/** Names become labels: one line, and not too long. */
export const clientNameOf = (name: string): string => clip(oneLine(name), 80) || 'Client';

/**
 * Finds a client: known in advance, described by a document at its ID, or registered. Documents are fetched
 * through the guard, and only from the hosts in `[auth] client_hosts`, which is checked before anything else.
 */
export function createFindClient({ services, store }: GatewayContext): FindClient {
  const { auth } = services.config;
  const hosts = new Set(auth.client_hosts.map((host) => host.toLowerCase()));
  const configured = configuredClients(auth.clients);
  const cache = new Map<string, { client: OAuthClient | undefined; until: number }>();

  const fetchDocument = async (id: string, signal: AbortSignal): Promise<OAuthClient | undefined> => {
    const { bytes } = await services.fetch(id, {
      signal,
      caller: 'sign-in',
      gate: undefined,
      accept: 'application/json',
      bytesMax: LIMITS.clientDocumentBytesMax,
      timeoutMs: LIMITS.clientDocumentMs,
      types: 'any',
      redirects: 'refuse',
    });
    const parsed = clientDocument.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    if (!parsed.success || parsed.data.client_id !== id) return undefined;
    const redirects = parsed.data.redirect_uris.filter(isRedirectAllowed);
    return { id, name: clientNameOf(parsed.data.client_name), redirects };
  };
  const documented = async (id: string, signal: AbortSignal): Promise<OAuthClient | undefined> => {
    const now = services.clock.monotonic();
    const known = cache.get(id);
    if (known !== undefined && now < known.until) return known.client;
    const client = await fetchDocument(id, signal).catch((thrown: unknown) => {
      const { code } = HeadgateError.from(thrown);
      services.log.info('client_document_failed', { client: id, code });
      return undefined;
    });
    const ttl = client === undefined ? LIMITS.clientDocumentFailedMs : LIMITS.clientDocumentTtlMs;
    cache.delete(id);
    cache.set(id, { client, until: now + ttl });
    const [oldest] = cache.keys();
    if (cache.size > LIMITS.clientDocumentsMax && oldest !== undefined) cache.delete(oldest);
    return client;
  };
  return async (id, signal) => {
    const known = configured.get(id);
    if (known !== undefined) return known;
    if (isDocumentId(id)) return hosts.has(new URL(id).host) ? documented(id, signal) : undefined;
    return auth.registration ? store.grants.client(id) : undefined;
  };
}

/** Whether an ID is the address of a document, in its only spelling. */
function isDocumentId(id: string): boolean {
  if (!id.startsWith('https://') || id.length > LIMITS.urlCharsMax || !URL.canParse(id)) return false;
  const url = new URL(id);
  return url.href === id && url.hash === '' && url.username === '' && url.password === '' && url.port === '';
}

function configuredClients(entries: readonly string[]): Map<string, OAuthClient> {
  const clients = new Map<string, OAuthClient>();
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const id = entry.slice(0, at);
    const redirects = [...(clients.get(id)?.redirects ?? []), entry.slice(at + 1)].filter(isRedirectAllowed);
    clients.set(id, { id, name: id, redirects });
  }
  return clients;
}
