import { createInterface } from 'node:readline';
import type { LedgerAnswer, LedgerOperation } from '../../../src/store/ledger/types.ts';
import type { buildGateway, GatewayProcess } from './processes.ts';

interface Asked {
  message: string;
  resolve(answer: LedgerAnswer): void;
}

/** Two gateways as processes on one database, which book what they are given and can be killed at any time. */
export interface Pair {
  /** Books at a time, at one of the two; what a killed one has not answered is sent to the other. */
  book(operation: LedgerOperation, at: number): Promise<LedgerAnswer>;
  /** Kills one of them and starts another in its place. */
  kill(index: number): Promise<void>;
  stop(): Promise<void>;
}

export function startPair(program: Awaited<ReturnType<typeof buildGateway>>, location: string): Pair {
  const asked = [new Map<number, Asked>(), new Map<number, Asked>()] as const;
  const of = (index: number): Map<number, Asked> => asked[index % 2 === 0 ? 0 : 1];
  const start = (index: number): GatewayProcess => {
    const gateway = program.start({ task: 'serve', location });
    gateway.process.stdin?.on('error', () => undefined);
    if (gateway.process.stdout !== null)
      createInterface(gateway.process.stdout).on('line', (line) => {
        // The last line of a killed one may be cut off.
        if (!line.endsWith('}}')) return;
        const { id, answer } = JSON.parse(line) as { id: number; answer: LedgerAnswer };
        of(index).get(id)?.resolve(answer);
        of(index).delete(id);
      });
    return gateway;
  };
  const gateways = [start(0), start(1)];
  let last = 0;
  const send = (index: number, id: number, one: Asked): void => {
    of(index).set(id, one);
    gateways[index % 2]?.process.stdin?.write(one.message);
  };
  return {
    book: (operation, at) =>
      new Promise((resolve) => {
        const id = ++last;
        send(id, id, { message: `${JSON.stringify({ id, at, operation })}\n`, resolve });
      }),
    kill: async (index) => {
      await gateways[index]?.kill();
      const left = [...of(index)];
      of(index).clear();
      gateways[index] = start(index);
      for (const [id, one] of left) send(index + 1, id, one);
    },
    stop: async () => {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
    },
  };
}
