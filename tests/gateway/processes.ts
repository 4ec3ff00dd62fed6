import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { MAIN } from '../mcp/built.ts';
import { until } from '../until.ts';

/** A gateway as users run it: a process of its own. */
export interface GatewayProcess {
  url: string;
  port: number;
  process: ChildProcess;
}

/** Starts the built `headgate serve` and waits until it is ready. */
export async function startGateway(env: Record<string, string>, port?: number): Promise<GatewayProcess> {
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'] ?? '',
      HEADGATE_SERVER__PORT: String(chosen),
      HEADGATE_LOG__LEVEL: 'error',
      ...env,
    },
  });
  const url = `http://127.0.0.1:${chosen}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  await until(isReady, 30_000);
  return { url, port: chosen, process: child };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
