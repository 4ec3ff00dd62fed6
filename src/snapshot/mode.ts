import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { Web } from '../net/web.ts';
import { pack, removeSpool, spoolOf } from './pack.ts';
import { createRecorder } from './recorder.ts';
import { createOnce, createReplay } from './replay.ts';
import { openSnapshot } from './snapshot.ts';

interface ModeOptions {
  mode: 'record' | 'replay' | 'once';
  snapshots: readonly string[];
  misses: string | undefined;
  /** Whether this process packs what it has recorded. */
  isPacked: boolean;
  clock: Clock;
  secrets: readonly string[];
}

/** Opens snapshots for a process that records, replays, or does both. */
export function openMode(options: ModeOptions): { web: Web; close(): Promise<void> } {
  const { mode, clock, secrets, misses } = options;
  const [path = ''] = options.snapshots;
  const isReplayed = mode === 'replay' || (mode === 'once' && existsSync(path));
  const snapshots = isReplayed ? options.snapshots.map(openSnapshot) : [];
  const replay = createReplay({ snapshots, secrets, misses: mode === 'replay' ? misses : undefined });
  const closeAll = (): void => snapshots.forEach((snapshot) => snapshot.close());
  if (mode === 'replay') return { web: replay, close: async () => closeAll() };
  const recorder = createRecorder({ spool: spoolOf(path), clock, secrets });
  return {
    web: mode === 'once' ? createOnce(replay, recorder) : recorder,
    close: async () => {
      await recorder.close();
      closeAll();
      if (!options.isPacked) return;
      pack(spoolOf(path), path, isReplayed ? path : undefined);
      removeSpool(path);
    },
  };
}
