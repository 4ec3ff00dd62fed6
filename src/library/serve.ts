import type { MessagePort } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import type { LibraryDocument } from './document.ts';
import { ingest, type Intake } from './ingest/ingest.ts';
import { listDocuments, type ListOptions, statsOf } from './query/list.ts';
import { createSearch, type LibrarySearch } from './query/reader.ts';
import { createShelves, type ShelfSettings } from './shelf/shelves.ts';
import type { RemoveOptions } from './writer.ts';

export type LibrarySettings = ShelfSettings;

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
  | {
      id: number;
      failure: {
        code: string;
        message: string;
        remediation?: string | undefined;
        data?: Record<string, unknown>;
      };
    };

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
        const { code, message: text, remediation, data } = HeadgateError.from(thrown);
        send({ id, failure: { code, message: text, remediation, data } });
      }
      cancelled.delete(id);
    });
  });
}

function createAnswer(settings: LibrarySettings): (request: LibraryRequest, control: Control) => unknown {
  const shelves = createShelves(settings);
  const search = createSearch();
  return async (request, control) => {
    if (request.kind === 'search') {
      const asked = request.libraries.map((name) => shelves.of(name));
      const notices = await Promise.all(asked.map((shelf) => shelf.refresh()));
      const opened = asked.map((shelf) => shelf.opened.current());
      const found = search(opened, request.query, request.now);
      return { ...found, warnings: [...new Set(notices.flat()), ...found.warnings] };
    }
    const shelf = shelves.of(request.library);
    switch (request.kind) {
      case 'list':
        await shelf.refresh();
        return listDocuments(shelf.opened.current(), request.options);
      case 'stats':
        await shelf.refresh();
        return statsOf(shelf.opened.current(), shelf.store.bytes());
      case 'add':
        return shelf.change((writer) => writer.add(request.documents, request.now));
      case 'remove':
        return shelf.change((writer) => writer.remove(request.options));
      case 'compact':
        return shelf.change((writer) => writer.compact(request.now));
      case 'rebuild':
        return shelf.change((writer) => writer.rebuild());
      case 'ingest': {
        const sink = {
          add: (documents: LibraryDocument[], now: number) =>
            shelf.change((writer) => writer.add(documents, now)),
        };
        return ingest(request.intake, sink, { ...control, roots: request.roots, now: () => request.now });
      }
    }
  };
}
