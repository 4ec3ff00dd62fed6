import { spawn, type ChildProcess } from 'node:child_process';
import { BARE, MAIN } from '../mcp/built.ts';

/** A gateway as users run it: a process of its own. */
export interface GatewayProcess {
  url: string;
  process: ChildProcess;
}

/** Starts the built `headgate serve` on a port that the system chooses and waits until it says where it listens; then it is ready. */
export async function startGateway(env: Record<string, string>): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...BARE,
      HEADGATE_SERVER__PORT: '0',
      HEADGATE_LOG__LEVEL: 'error',
      ...env,
    },
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(said)?.[0];
      if (url !== undefined) resolve({ url, process: child });
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', () => reject(new Error(`The gateway ended before it listened: ${said}`)));
  });
}
