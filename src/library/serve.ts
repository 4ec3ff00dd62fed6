import type { MessagePort } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import { failureToData, type FailureData } from '../core/worker-channel.ts';
import type { LibraryDocument } from './document.ts';
import { ingest, type Intake } from './ingest/ingest.ts';
import { listDocuments, type ListOptions, statsOf } from './query/list.ts';
import { createSearch, type LibrarySearch } from './query/reader.ts';
import { createIndexPool, type IndexSettings } from './storage/index-pool.ts';
import type { RemoveOptions } from './writer.ts';

export type LibrarySettings = IndexSettings;

/** A request of the main thread to a library thread. Writing and searching have a thread each. */
export type LibraryRequest =
  /** Several libraries are searched as one. */
  | { kind: 'search'; libraries: string[]; query: LibrarySearch; now: number }
  | { kind: 'list'; library: string; options: ListOptions }
  | { kind: 'stats'; library: string }
  | { kind: 'add'; library: string; documents: LibraryDocument[]; now: number }
  | { kind: 'ingest'; library: string; intake: Intake; roots: string[] | undefined; now: number }
  | { kind: 'remove'; library: string; options: RemoveOptions }
  | { kind: 'compact'; library: string; now: number }
  | { kind: 'rebuild'; library: string };

export type LibraryMessage = { id: number; request: LibraryRequest } | { id: number; cancel: true };

export type LibraryReply =
  | { id: number; value: unknown }
  | { id: number; progress: { done: number; total?: number | undefined; message: string } }
  | { id: number; failure: FailureData };

interface Control {
  isCancelled(): boolean;
  progress(done: number, total: number | undefined, message: string): void;
}

/** Serves the requests of a port over the libraries of one folder, one after the other. */
export function serveLibrary(port: MessagePort, settings: LibrarySettings): void {
  const answer = createAnswer(settings);
  const cancelled = new Set<number>();
  const send = (reply: LibraryReply) => port.postMessage(reply);
  let before: Promise<void> = Promise.resolve();
  port.on('message', (message: LibraryMessage) => {
    if ('cancel' in message) {
      cancelled.add(message.id);
      return;
    }
    const { id, request } = message;
    const control: Control = {
      isCancelled: () => cancelled.has(id),
      progress: (done, total, text) => send({ id, progress: { done, total, message: text } }),
    };
    before = before.then(async () => {
      try {
        if (cancelled.has(id)) throw new HeadgateError('cancelled', 'The call was cancelled.');
        send({ id, value: await answer(request, control) });
      } catch (thrown) {
        send({ id, failure: failureToData(thrown) });
      }
      cancelled.delete(id);
    });
  });
}

function createAnswer(settings: LibrarySettings): (request: LibraryRequest, control: Control) => unknown {
  const pool = createIndexPool(settings);
  const search = createSearch();
  return async (request, control) => {
    if (request.kind === 'search') {
      const asked = request.libraries.map((name) => pool.of(name));
      const notices = await Promise.all(asked.map((index) => index.refresh()));
      const opened = asked.map((index) => index.opened.current());
      const found = search(opened, request.query, request.now);
      return { ...found, warnings: [...new Set(notices.flat()), ...found.warnings] };
    }
    const index = pool.of(request.library);
    switch (request.kind) {
      case 'list':
        await index.refresh();
        return listDocuments(index.opened.current(), request.options);
      case 'stats':
        await index.refresh();
        return statsOf(index.opened.current(), index.store.bytes());
      case 'add':
        return index.change((writer) => writer.add(request.documents, request.now));
      case 'remove':
        return index.change((writer) => writer.remove(request.options));
      case 'compact':
        return index.change((writer) => writer.compact(request.now));
      case 'rebuild':
        return index.change((writer) => writer.rebuild());
      case 'ingest': {
        const sink = {
          add: (documents: LibraryDocument[], now: number) =>
            index.change((writer) => writer.add(documents, now)),
        };
        return ingest(request.intake, sink, { ...control, roots: request.roots, now: () => request.now });
      }
    }
  };
}
