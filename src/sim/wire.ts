import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SimResponse } from './upstream.ts';

type Piece = string | Uint8Array;

/** What a fault can do to the connection of a request. Everything but `respond` writes raw bytes. */
export interface SimulatedApi {
  respond(answer: SimResponse): void;
  write(...pieces: Piece[]): void;
  /** Writes and closes the connection. */
  end(...pieces: Piece[]): void;
  reset(): void;
  later(ms: number, action: () => void): void;
  /** Writes the same piece repeatedly until the other side disconnects. */
  every(ms: number, piece: Piece): void;
  /** As `every`, as fast as the other side reads. */
  flood(piece: Buffer): void;
  /** Writes one byte at a time, and closes after the last. */
  drip(bytes: Piece, everyMs: number): void;
}

export function createWire(response: ServerResponse, socket: Socket): SimulatedApi {
  const write = (...pieces: Piece[]) => {
    if (!socket.destroyed) socket.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
  };
  const repeat = (ms: number, action: (stop: () => void) => void) => {
    const timer = setInterval(() => action(() => clearInterval(timer)), ms);
    socket.once('close', () => clearInterval(timer));
  };
  return {
    write,
    respond: (answer) => {
      response.writeHead(answer.status, {
        ...answer.headers,
        'content-length': Buffer.byteLength(answer.body),
      });
      response.end(answer.body);
    },
    end: (...pieces) => {
      write(...pieces);
      socket.end();
    },
    reset: () => {
      socket.resetAndDestroy();
    },
    later: (ms, action) => {
      const forget = (): void => clearTimeout(timer);
      const timer = setTimeout(() => {
        socket.off('close', forget);
        action();
      }, ms);
      socket.once('close', forget);
    },
    every: (ms, piece) => repeat(ms, () => write(piece)),
    flood: (piece) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', pour);
      pour();
    },
    drip: (bytes, everyMs) => {
      const all = Buffer.from(bytes);
      let sent = 0;
      repeat(everyMs, (stop) => {
        write(all.subarray(sent, sent + 1));
        sent += 1;
        if (sent < all.length) return;
        stop();
        socket.end();
      });
    },
  };
}
