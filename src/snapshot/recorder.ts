import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { currentScope, type CallScope } from '../core/scope.ts';
import { decodeBody } from '../net/decode.ts';
import type { Exchanged, ExchangeRequest } from '../net/exchange.ts';
import type { Web } from '../net/web.ts';
import { answerMessage, requestMessage, type KeptAnswer } from './http-message.ts';
import { exactKey, type KeptRequest } from './request-key.ts';
import {
  credentialsOf,
  knownSecrets,
  scrubAnswerHeaders,
  scrubBody,
  scrubBytes,
  scrubRequestHeaders,
  scrubUrl,
  withCredentials,
  type KnownSecrets,
} from './scrub.ts';
import { writeRecord } from './warc.ts';

/** A request as it is kept, and as it is looked for later: without anything secret. */
export const keptRequest = (
  { url, method, body }: ExchangeRequest,
  kind: KeptRequest['kind'],
  secrets: KnownSecrets,
): KeptRequest => ({
  kind,
  method,
  url: scrubUrl(url.href, secrets),
  ...(body === undefined ? {} : { body: scrubBody(body, secrets) }),
});

export interface Recorder extends Web {
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/**
 * Lets requests pass and writes down what became of them, each process into a file of its own in the folder `spool`. A process that is
 * killed loses nothing that a caller had got: an answer is handed over when it has been written.
 */
export function createRecorder(options: {
  spool: string;
  clock: Clock;
  secrets: readonly string[];
}): Recorder {
  const { spool, clock } = options;
  const secrets = knownSecrets(options.secrets);
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const name = `${process.pid}-${randomBytes(4).toString('hex')}.warc`;
  const file = openSync(join(spool, name), 'wx', 0o600);
  const writing = new Set<Promise<void>>();
  let broken: unknown;
  const repeated = new Map<string, number>();
  const keep = (
    request: ExchangeRequest,
    kind: KeptRequest['kind'],
    answer: KeptAnswer | { failed: string },
    scope: CallScope | undefined,
  ): void => {
    const kept = keptRequest(request, kind, secrets);
    const key = exactKey(kept);
    const counted = scope?.exchanges ?? repeated;
    const nth = counted.get(key) ?? 0;
    counted.set(key, nth + 1);
    const headers = scrubRequestHeaders(request.headers, secrets);
    const when = { at: scope?.now ?? clock.now(), nth: scope === undefined ? nth : `${scope.id} ${nth}` };
    try {
      writePieces(file, exchangeRecords(kept, headers, answer, when, scope).flat());
    } catch (thrown) {
      broken = thrown;
    }
  };

  return {
    exchange: (request, kind, send) => {
      let head: Pick<Exchanged, 'status' | 'headers'> | undefined;
      let isRefused = false;
      const onHead = (status: number, headers: Record<string, string>): boolean => {
        head = { status, headers };
        try {
          return request.onHead?.(status, headers) ?? true;
        } catch (thrown) {
          isRefused = true;
          throw thrown;
        }
      };
      const scope = currentScope();
      const hidden = withCredentials(secrets, credentialsOf(request.url, request.headers, request.body));
      const running = send({ ...request, onHead });
      const kept = running.done
        .then(
          async (answer) => keep(request, kind, await plain(answer, hidden), scope),
          async (thrown: unknown) => {
            // What is refused by its head alone is refused again by the same head.
            if (isRefused && head !== undefined)
              keep(request, kind, await plain({ ...head, bytes: Buffer.alloc(0) }, hidden), scope);
            else keep(request, kind, { failed: codeOf(thrown) }, scope);
          },
        )
        .finally(() => writing.delete(kept));
      writing.add(kept);
      return { ...running, done: kept.then(() => running.done) };
    },
    close: async () => {
      await Promise.allSettled(writing);
      closeSync(file);
      if (broken !== undefined) throw broken;
    },
  };
}

/** The two records of an exchange. */
export function exchangeRecords(
  { kind, method, url: target, body }: KeptRequest,
  headers: Record<string, string>,
  answer: KeptAnswer | { failed: string },
  when: { at: number; nth: number | string },
  scope?: CallScope,
): [request: Buffer[], answer: Buffer[]] {
  const asked = writeRecord({
    ...when,
    type: 'request',
    target,
    contentType: 'application/http; msgtype=request',
    block: requestMessage(method, target, headers, body),
    extra: { 'Headgate-Kind': kind, ...(scope === undefined ? {} : { 'Headgate-Call': scope.id }) },
  });
  const shared = { ...when, target, concurrentTo: asked.id };
  const answered =
    'failed' in answer
      ? writeRecord({
          ...shared,
          type: 'metadata',
          contentType: 'application/warc-fields',
          block: [Buffer.from(`failed: ${answer.failed}\r\n`)],
        })
      : writeRecord({
          ...shared,
          type: 'response',
          contentType: 'application/http; msgtype=response',
          block: answerMessage(answer),
          payload: answer.bytes,
        });
  return [asked.pieces, answered.pieces];
}

function writePieces(file: number, pieces: Buffer[]): void {
  const written = writevSync(file, pieces);
  const all = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
  // A disk that is nearly full takes a part, and says so when it gets the rest.
  if (written < all) writeFileSync(file, Buffer.concat(pieces).subarray(written));
}

/** An answer as it is kept: unpacked, because a secret cannot be found in what is compressed. */
async function plain(answer: Exchanged, secrets: KnownSecrets): Promise<KeptAnswer> {
  const { status, headers, bytes } = answer;
  const encoding = headers['content-encoding'];
  const fail = (): Error => new Error('unreadable');
  const unpacked = await decodeBody(bytes, encoding, LIMITS.fetchBytesMax, {
    tooLarge: fail,
    unreadable: fail,
  }).catch(() => undefined);
  const isPacked = unpacked === undefined && encoding !== undefined;
  return {
    status,
    headers: {
      ...scrubAnswerHeaders(headers, secrets),
      ...(isPacked ? { 'content-encoding': encoding } : {}),
    },
    bytes: scrubBytes(unpacked ?? bytes, secrets),
  };
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof HeadgateError ? thrown.code : ((thrown as NodeJS.ErrnoException).code ?? 'failed');
