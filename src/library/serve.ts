import type { MessagePort } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import type { LibraryDocument } from './document.ts';
import { ingest, type Intake } from './ingest.ts';
import { createLibraryReader, type LibrarySearch } from './reader.ts';
import { createFolderStore } from './segment-store.ts';
import type { ListOptions } from './list.ts';
import { createLibraryWriter, type RemoveOptions } from './writer.ts';

export interface LibrarySettings {
  folder: string;
  roots?: string[] | undefined;
  bytesMax?: number | undefined;
}

/** What the main thread asks of a library's thread. Writing and searching have a thread each. */
export type LibraryRequest =
  | { kind: 'search'; query: LibrarySearch; now: number }
  | { kind: 'list'; options: ListOptions }
  | { kind: 'stats' }
  | { kind: 'add'; documents: LibraryDocument[]; now: number }
  | { kind: 'ingest'; intake: Intake; now: number }
  | { kind: 'remove'; options: RemoveOptions }
  | { kind: 'compact'; now: number }
  | { kind: 'rebuild' };

export type LibraryMessage = { id: number; request: LibraryRequest } | { id: number; cancel: true };

export type LibraryReply =
  | { id: number; value: unknown }
  | { id: number; progress: { done: number; total?: number | undefined; message: string } }
  | {
      id: number;
      failure: {
        code: string;
        message: string;
        remediation?: string | undefined;
        data?: Record<string, unknown>;
      };
    };

/** Answers the requests of a port over one folder, one after the other. */
export function serveLibrary(port: MessagePort, settings: LibrarySettings): void {
  const store = createFolderStore(settings.folder);
  const reader = createLibraryReader(store);
  const writer = createLibraryWriter(store, { bytesMax: settings.bytesMax });
  const cancelled = new Set<number>();
  const send = (reply: LibraryReply) => port.postMessage(reply);

  const answer = (id: number, request: LibraryRequest): unknown => {
    switch (request.kind) {
      case 'search':
        return reader.search(request.query, request.now);
      case 'list':
        return reader.list(request.options);
      case 'stats':
        return reader.stats();
      case 'add':
        return writer.add(request.documents, request.now);
      case 'remove':
        return writer.remove(request.options);
      case 'compact':
        return writer.compact(request.now);
      case 'rebuild':
        return writer.rebuild();
      case 'ingest':
        return ingest(request.intake, writer, {
          roots: settings.roots,
          now: () => request.now,
          isCancelled: () => cancelled.has(id),
          progress: (done, total, message) => send({ id, progress: { done, total, message } }),
        });
    }
  };
  let before: Promise<void> = Promise.resolve();
  port.on('message', (message: LibraryMessage) => {
    if ('cancel' in message) {
      cancelled.add(message.id);
      return;
    }
    const { id, request } = message;
    before = before.then(async () => {
      try {
        if (cancelled.has(id)) throw new HeadgateError('cancelled', 'The call was cancelled.');
        send({ id, value: await answer(id, request) });
      } catch (thrown) {
        const { code, message: text, remediation, data } = HeadgateError.from(thrown);
        send({ id, failure: { code, message: text, remediation, data } });
      }
      cancelled.delete(id);
    });
  });
}
