import type { Config } from '../../config/schema.ts';
import { HeadgateError } from '../../core/errors.ts';

/** The listening address, and the names under which the gateway may be called. */
export interface HostRules {
  host: string;
  hosts: readonly string[];
  origins: readonly string[];
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** True for loopback addresses. */
export const isLoopback = (host: string): boolean =>
  LOOPBACK.has(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host);

/** Whether only this machine can call. Behind a proxy on it, everybody comes from the loopback address. */
export const isForThisMachine = (
  server: Pick<Config['server'], 'host' | 'public_url' | 'behind_proxy'>,
): boolean => isLoopback(server.host) && server.public_url === undefined && !server.behind_proxy;

/**
 * Refuses unknown Host names and origins. A web page can point its own name at this machine (DNS rebinding),
 * so the name is checked; an IP address cannot be forged that way. A request without Origin is not from a
 * browser; `null` and unknown origins are refused.
 */
export function checkHost(rules: HostRules, headers: { host?: string; origin?: string }): void {
  const host = headers.host ?? '';
  const name = nameOf(host);
  if (name === undefined || !isKnownName(name, rules)) {
    throw new HeadgateError('forbidden', 'The Host header names a host that this gateway does not serve.', {
      remediation: 'The operator can add the name to [server] hosts.',
    });
  }
  const { origin } = headers;
  if (origin === undefined || rules.origins.includes(origin) || isSameOrigin(origin, host)) return;
  throw new HeadgateError('forbidden', 'Pages of this origin may not call this gateway.', {
    remediation: 'The operator can add the origin to [server] origins.',
  });
}

function isKnownName(name: string, rules: HostRules): boolean {
  if (isLoopback(name) || name === rules.host.toLowerCase() || rules.hosts.includes('*')) return true;
  if (rules.hosts.some((known) => known.toLowerCase() === name)) return true;
  return !isLoopback(rules.host) && /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/.test(name);
}

/** The name in a Host header without its port; undefined when there is none. */
const nameOf = (host: string): string | undefined =>
  /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();

const isSameOrigin = (origin: string, host: string): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;
