import type { Readable, Writable } from 'node:stream';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';

export type Fields = Record<string, unknown>;

/** An event that the browser sends. */
export interface DevtoolsEvent {
  method: string;
  params: Fields;
  sessionId: string | undefined;
}

export interface Devtools {
  /** Sends a command and waits for its result; rejects when the browser refuses it or has exited. */
  send(method: string, params?: Fields, sessionId?: string): Promise<Fields>;
  /** Sends a command without waiting for a result. */
  tell(method: string, params?: Fields, sessionId?: string): void;
  listen(listener: (event: DevtoolsEvent) => void): void;
  /** Rejects everything that waits. */
  end(reason: HeadgateError): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: Fields;
  sessionId?: string;
  result?: Fields;
  error?: { message?: string };
}

interface Waiting {
  method: string;
  resolve(result: Fields): void;
  reject(reason: HeadgateError): void;
}

/**
 * The Chrome DevTools Protocol over the pipes of `--remote-debugging-pipe`: JSON messages, each ended by a
 * zero byte. No port is opened, so no other program on the machine can control the browser.
 */
export function createDevtools(output: Readable, input: Writable): Devtools {
  const waiting = new Map<number, Waiting>();
  const listeners: ((event: DevtoolsEvent) => void)[] = [];
  let ended: HeadgateError | undefined;
  let number = 0;

  const end = (reason: HeadgateError): void => {
    ended ??= reason;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const receive = (message: Message): void => {
    if (message.id === undefined) {
      const event = {
        method: message.method ?? '',
        params: message.params ?? {},
        sessionId: message.sessionId,
      };
      for (const listener of listeners) listener(event);
      return;
    }
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) asked?.resolve(message.result ?? {});
    else asked?.reject(refused(asked.method, message.error.message));
  };
  readMessages(output, receive, () => end(GONE()));
  // The browser may exit while we write; `end` rejects everything that waits.
  input.on('error', () => end(GONE()));

  const send = (method: string, params: Fields = {}, sessionId?: string): Promise<Fields> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      number += 1;
      waiting.set(number, { method, resolve, reject });
      const session = sessionId === undefined ? {} : { sessionId };
      input.write(`${JSON.stringify({ id: number, method, params, ...session })}\0`);
    });
  return {
    send,
    // When such a command is refused, its object is already gone, which is fine.
    tell: (method, params, sessionId) => void send(method, params, sessionId).catch(() => {}),
    listen: (listener) => void listeners.push(listener),
    end,
  };
}

function readMessages(output: Readable, receive: (message: Message) => void, stop: () => void): void {
  let pieces: Buffer[] = [];
  let length = 0;
  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let zero = chunk.indexOf(0); zero >= 0; zero = chunk.indexOf(0, start)) {
      pieces.push(chunk.subarray(start, zero));
      const message = parse(Buffer.concat(pieces).toString());
      pieces = [];
      length = 0;
      start = zero + 1;
      if (message !== undefined) receive(message);
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LIMITS.renderMessageBytesMax) output.destroy();
  });
  output.on('close', stop);
  output.on('error', stop);
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    // A message that is not JSON is ignored; whoever waits for it times out.
    return undefined;
  }
}

const refused = (method: string, reason = 'no reason given'): HeadgateError =>
  new HeadgateError('extract_failed', own`Chromium refused ${named(method)}.`, { cause: new Error(reason) });

const GONE = (): HeadgateError => new HeadgateError('extract_failed', 'Chromium ended early.');
