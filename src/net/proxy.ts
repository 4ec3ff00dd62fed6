import { request as askPlain, type Agent } from 'node:http';
import { request as askSecure } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { LIMITS } from '../core/limits.ts';

/** Whether a host is reached without the proxy: by its name, by `.suffix` or `*.suffix`, or all of them by `*`. */
export function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const goal = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', only = goal] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== goal) return false;
      const suffix = name.replace(/^\*/, '');
      return name === hostname || (/^[*.]/.test(name) && hostname.endsWith(suffix));
    });
}

/** Makes an agent connect through a tunnel of the proxy, so that the proxy sees only the name of the host. */
export const throughProxy =
  (proxy: URL) =>
  (agent: Agent, isSecure: boolean): void => {
    agent.createConnection = (options, callback) => {
      const goal = `${options.host?.includes(':') === true ? `[${options.host}]` : options.host}:${options.port}`;
      openTunnel(proxy, goal).then(
        (socket) => callback?.(null, isSecure ? connectSecure({ ...options, socket } as object) : socket),
        (thrown: unknown) => callback?.(thrown as Error, undefined as never),
      );
      return undefined;
    };
  };

function openTunnel(proxy: URL, goal: string): Promise<Socket> {
  const { protocol, hostname, port, username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new Promise((resolve, reject) => {
    const asked = (protocol === 'https:' ? askSecure : askPlain)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: 'CONNECT',
      path: goal,
      agent: false,
      headers: {
        host: goal,
        ...(credentials === ':'
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    const refuse = (cause: unknown) =>
      reject(Object.assign(new Error('No tunnel.', { cause }), { code: 'ERR_PROXY_TUNNEL' }));
    const timer = setTimeout(() => asked.destroy(new Error('Too late.')), LIMITS.fetchConnectMs);
    asked.once('error', refuse);
    asked.once('close', () => clearTimeout(timer));
    asked.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode);
    });
    asked.once('connect', ({ statusCode }, socket: Socket) => {
      clearTimeout(timer);
      if (statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        refuse(statusCode);
      }
    });
    asked.end();
  });
}
