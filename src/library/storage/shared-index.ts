import { HeadgateError } from '../../core/errors.ts';
import type { SharedStorage } from './shared-storage.ts';
import { createOpenedLibrary } from '../query/snapshot.ts';
import type { LibraryIndex } from './library-index.ts';
import { createWorkingCopy, type WorkingCopy } from './working-copy.ts';
import { createLibraryWriter, type WriterLimits } from '../writer.ts';

/** How often a change is retried when another gateway published first. */
const ATTEMPTS_MAX = 8;

/**
 * A library that gateways share through shared storage. The folder has copies of immutable files, so several
 * processes may use it. A change is made on the copies and takes effect when it is published; if another
 * gateway published first, it is redone on the newer version.
 */
export function createSharedIndex(
  storage: SharedStorage,
  folder: string,
  limits: WriterLimits,
): LibraryIndex {
  const copy = createWorkingCopy(storage, folder);
  const opened = createOpenedLibrary(copy.store);
  const writer = createLibraryWriter(copy.store, limits);
  return {
    store: copy.store,
    opened,
    refresh: async () => {
      try {
        await copy.refresh();
        return [];
      } catch (thrown) {
        // Reading continues with the local copy, with a warning.
        if (!copy.isThere()) throw thrown;
        return [
          `The shared library cannot be reached (${HeadgateError.from(thrown).message}); a copy was searched.`,
        ];
      }
    },
    change: async (work) => {
      for (let attempt = 1; ; attempt += 1) {
        await copy.refresh();
        const result = orGiveUp(copy, () => work(writer));
        if (await copy.publish()) return result;
        if (attempt === ATTEMPTS_MAX) throw tooBusy();
      }
    },
    close: () => {
      opened.close();
      writer.close();
    },
  };
}

function orGiveUp<Result>({ giveUp }: WorkingCopy, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    giveUp();
    throw thrown;
  }
}

const tooBusy = (): HeadgateError =>
  new HeadgateError('storage_unavailable', 'Other gateways change this library all the time.', {
    remediation: 'Try again.',
  });
