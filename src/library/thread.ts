import type { Progress } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { failureFromData, openWorkerChannel, type WorkerChannel } from '../core/worker-channel.ts';
import { SQLITE_THREAD_ARGV } from '../core/worker-file.ts';
import type { LibraryMessage, LibraryReply, LibraryRequest, LibrarySettings } from './serve.ts';

export interface AskOptions {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
}

/** A thread for one library folder. It is started by the first request, and again after a crash. */
export interface LibraryThread {
  ask<Result>(request: LibraryRequest, options?: AskOptions): Promise<Result>;
  close(): Promise<void>;
}

type Channel = WorkerChannel<Omit<LibraryMessage & { request: LibraryRequest }, 'id'>, LibraryReply>;

export function createLibraryThread(settings: LibrarySettings): LibraryThread {
  let channel: Channel | undefined;
  const start = (): Channel =>
    openWorkerChannel({
      file: 'library-worker',
      worker: { name: 'headgate-library', execArgv: SQLITE_THREAD_ARGV, workerData: settings },
      lost: (cause) => {
        channel = undefined;
        return threadLost(cause);
      },
    });
  return {
    ask: async <Result>(request: LibraryRequest, { signal, progress }: AskOptions = {}) => {
      signal?.throwIfAborted();
      channel ??= start();
      const onReply = (answer: LibraryReply): boolean => {
        if (!('progress' in answer)) return true;
        const { done, total, message } = answer.progress;
        progress?.({ done, message, ...(total !== undefined && { total }) });
        return false;
      };
      const reply = await channel.ask({ request }, { onReply, signal });
      if ('failure' in reply) throw failureFromData(reply.failure);
      return (reply as { value: unknown }).value as Result;
    },
    close: async () => void (await channel?.end()),
  };
}

function threadLost(cause: unknown): HeadgateError {
  return new HeadgateError('storage_unavailable', 'The library stopped while it was working on this.', {
    remediation: 'Try again; what was acknowledged before is kept.',
    cause,
  });
}
