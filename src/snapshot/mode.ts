import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { EnterScope } from '../core/scope.ts';
import type { Web } from '../net/web.ts';
import { pack, removeSpool, spoolOf } from './pack.ts';
import { createRecorder } from './recorder.ts';
import { createOnce, createReplay, type Replay } from './replay.ts';
import { createScopes, saltOf, shareRecording, type Recording } from './scopes.ts';
import type { WebSnapshot } from './entry.ts';
import { openSnapshot } from './snapshot.ts';

export { openSnapshotInTurns } from './snapshot.ts';

interface ModeOptions {
  mode: 'record' | 'replay' | 'once';
  snapshots: readonly string[];
  /** Those files, if they are open already. */
  opened?: WebSnapshot[] | undefined;
  misses: string | undefined;
  /** Whether this process packs what it has recorded. */
  isPacked: boolean;
  /** Makes the ids of a recording the same as those of another one. */
  seed?: string | undefined;
  /** How many keys each provider has that is set up. */
  providers?: Recording['providers'];
  /** The time whose web calls see that do not name one. */
  asOf?: string | undefined;
  /** Whether no call may name a later one. */
  isBound?: boolean;
  clock: Clock;
  secrets: readonly string[];
}

export interface OpenedMode {
  web: Web;
  enter: EnterScope;
  /** The providers of the recording that is replayed. */
  providers: Recording['providers'];
  /** When the last exchange was recorded that is replayed. */
  time: number | undefined;
  /** When something was recorded that is replayed, in order. */
  times: readonly number[];
  snapshots: readonly WebSnapshot[];
  answered: Replay['answered'];
  close(): Promise<void>;
}

/** Opens snapshots for a process that records, replays, or does both. */
export function openMode(options: ModeOptions): OpenedMode {
  const { mode, clock, secrets, misses, seed, providers = {} } = options;
  const [path = ''] = options.snapshots;
  const isReplayed = mode === 'replay' || (mode === 'once' && existsSync(path));
  const snapshots = isReplayed ? (options.opened ?? options.snapshots.map(openSnapshot)) : [];
  const replay = createReplay({ snapshots, secrets, misses: mode === 'replay' ? misses : undefined });
  const closeAll = (): void => snapshots.forEach((snapshot) => snapshot.close());
  const times = timesOf(snapshots);
  const known = snapshots.find(({ recording }) => recording !== undefined)?.recording;
  if (mode === 'replay')
    return {
      web: replay,
      enter: createScopes(known?.salt ?? saltOf(''), (id) => times.calls.get(id) ?? times.last, {
        asOfDefault: options.asOf,
        isBound: options.isBound ?? false,
      }),
      providers: Object.assign({}, ...snapshots.map(({ recording }) => recording?.providers)) as Record<
        string,
        number
      >,
      time: times.last,
      times: times.all,
      snapshots,
      answered: replay.answered,
      close: async () => closeAll(),
    };
  const recorder = createRecorder({ spool: spoolOf(path), clock, secrets });
  const { salt } = known ?? shareRecording(spoolOf(path), { salt: saltOf(seed), providers });
  return {
    web: mode === 'once' ? createOnce(replay, recorder) : recorder,
    enter: createScopes(salt, (id) => times.calls.get(id) ?? clock.now()),
    providers: {},
    time: undefined,
    times: [],
    snapshots: [],
    answered: replay.answered,
    close: async () => {
      await recorder.close();
      closeAll();
      if (!options.isPacked) return;
      pack(spoolOf(path), path, isReplayed ? [path] : []);
      removeSpool(path);
    },
  };
}

/** When each recorded call was made, and when anything was. */
function timesOf(snapshots: WebSnapshot[]) {
  const calls = new Map<string, number>();
  const all = new Set<number>();
  for (const { entries } of snapshots)
    for (const { call, at } of entries) {
      if (call !== undefined && !calls.has(call)) calls.set(call, at);
      all.add(at);
    }
  const sorted = [...all].sort((a, b) => a - b);
  return { calls, all: sorted, last: sorted.at(-1) ?? 0 };
}
