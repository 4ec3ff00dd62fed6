import type { Pace } from '../net/pace.ts';
import { existsSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { unlessAborted } from '../core/on-abort.ts';
import { currentScope, outsideScope, scopedClock, type EnterScope } from '../core/scope.ts';
import { createBreaker } from '../net/breaker.ts';
import { createRetryBudget } from '../net/retry-budget.ts';
import { createSingleFlight } from '../net/single-flight.ts';
import { liveWeb, type Running, type Web } from '../net/web.ts';
import type { Services } from '../operations/services.ts';
import { readyProviders } from '../routing/chain.ts';
import { createKeyRing } from '../routing/key-ring.ts';
import { createHealthBook } from '../routing/provider-health.ts';
import type { FrozenIndex } from './frozen.ts';

/** A replay sends no request, so it waits for no turn. */
const UNPACED: Pace = {
  wait: async () => undefined,
  begin: async () => () => undefined,
  admit: async () => undefined,
};

export interface OpenedWeb {
  web: Web;
  /** Absent where the web is live. */
  enter?: EnterScope;
  /** The time of calls; of a call that is recorded or replayed it stands still. */
  clock: Clock;
  /** The time of what outlives a call: in a replay, that of the recording. */
  sessionClock: Clock;
  /** The services of one call, which no other call affects. */
  isolated?(services: Services): Services;
  close(): Promise<void>;
}

/** A web that is recorded or replayed. */
export interface RecordedWeb extends OpenedWeb {
  enter: EnterScope;
  /** Opens the files, so that one that cannot be used fails here. */
  load(): Promise<unknown>;
}

/** The web that this process sees. */
export const openWeb = (
  config: Config,
  clock: Clock,
  secrets: readonly string[],
  extract: () => Services['extract'],
): OpenedWeb =>
  config.web.mode === 'live'
    ? { web: liveWeb, clock, sessionClock: clock, close: async () => {} }
    : openRecorded(config, clock, secrets, extract);

/**
 * A web that is recorded or replayed. What does that is loaded with the first request; most processes need neither. With `isBound`, no
 * call sees anything later than `as_of`.
 */
export function openRecorded(
  config: Config,
  clock: Clock,
  secrets: readonly string[],
  extract: () => Services['extract'],
  isBound = false,
): RecordedWeb {
  const { snapshot, misses, seed, pack: isPacked, as_of: asOf, exact: isExact } = config.web;
  const mode = config.web.mode === 'live' ? 'replay' : config.web.mode;
  checkSnapshots(config.web);
  const providers = Object.fromEntries(
    readyProviders(config).map(({ provider, keys }) => [provider.id, keys.length]),
  );
  const open = async () => {
    const { openMode, openSnapshotInTurns } = await import('../snapshot/mode.ts');
    const made = openMode({
      mode,
      snapshots: snapshot,
      opened: mode === 'replay' ? await Promise.all(snapshot.map(openSnapshotInTurns)) : undefined,
      misses,
      isPacked,
      seed,
      asOf,
      isBound,
      providers,
      clock,
      secrets,
    });
    time = made.time;
    if (mode === 'replay') replayed = recordedProviders(config, made.providers);
    return made;
  };
  let opened: ReturnType<typeof open> | undefined;
  let time: number | undefined;
  let replayed: Services['providers'] | undefined;
  const load = () => (opened ??= open());
  const scoped = scopedClock(clock);
  const index = createIndexes(async (until) => {
    const [{ buildFrozenIndex }, { snapshots }] = await Promise.all([import('./frozen.ts'), load()]);
    const still = { ...clock, now: () => until };
    return buildFrozenIndex({
      snapshots,
      until,
      clock: still,
      providers: replayed ?? [],
      extract: extract(),
    });
  });
  const frozen: Services['frozen'] = {
    isExact,
    library: async (signal) => {
      const { times } = await load();
      const until = times.findLast((one) => one <= (currentScope()?.asOf ?? Infinity)) ?? 0;
      return (await unlessAborted(index.until(until), signal)).library;
    },
    answered: (error) => void load().then((made) => made.answered(error)),
  };
  return {
    web: lazily(async () => (await load()).web),
    enter: async (name, input, work) =>
      currentScope() === undefined ? (await load()).enter(name, input, work) : work(),
    clock: scoped,
    sessionClock: { ...scoped, now: () => currentScope()?.now ?? time ?? clock.now() },
    isolated: (services) => ({
      ...alone(services, scoped),
      ...(replayed === undefined ? {} : { providers: replayed }),
      ...(mode === 'replay' ? { frozen, pace: UNPACED } : {}),
    }),
    load,
    close: async () => {
      await index.close();
      await (await opened)?.close();
    },
  };
}

/** Services that no other call affects. */
const alone = (services: Services, clock: Clock): Services => ({
  ...services,
  keyRing: createKeyRing({ clock }),
  breaker: createBreaker({ clock, random: services.random }),
  health: createHealthBook({ clock }),
  retryBudget: createRetryBudget({ clock }),
  cache: undefined,
  flights: createSingleFlight(),
  told: new Set(['keyless']),
});

/** How many indexes are kept. */
const INDEXES_MAX = 4;

/** The indexes of a replay, by the time that each reaches to. They are built once, and not for the call that needs them first. */
function createIndexes(build: (until: number) => Promise<FrozenIndex>) {
  const built = new Map<number, Promise<FrozenIndex>>();
  const drop = async (until: number): Promise<void> => {
    const dropped = built.get(until);
    built.delete(until);
    await (await dropped?.catch(() => undefined))?.close();
  };
  return {
    until: async (until: number): Promise<FrozenIndex> => {
      const [oldest] = built.keys();
      if (!built.has(until) && built.size >= INDEXES_MAX && oldest !== undefined) await drop(oldest);
      const index = built.get(until) ?? outsideScope(() => build(until));
      built.set(until, index);
      return index;
    },
    close: async (): Promise<void> => void (await Promise.all([...built.keys()].map(drop))),
  };
}

function checkSnapshots({ mode, snapshot }: Config['web']): void {
  if (snapshot.length === 0 || (mode !== 'replay' && snapshot.length > 1))
    throw new HeadgateError(
      'invalid_config',
      own`[web] mode is ${named(mode)}, and [web] snapshot names ${snapshot.length} files.`,
      {
        remediation: 'Name the WACZ file to record; a replay may have several.',
      },
    );
  const absent = snapshot.find((path) => !existsSync(path));
  if (mode === 'replay' && absent !== undefined)
    throw new HeadgateError('invalid_config', own`The snapshot ${named(absent)} does not exist.`, {
      remediation: 'Check its path, or record one with `headgate record`.',
    });
}

/** The providers of a recording, set up as they were. Their keys are never sent. A file that does not name any gets those of today. */
function recordedProviders(config: Config, recorded: Record<string, number>): Services['providers'] {
  if (Object.keys(recorded).length === 0) return readyProviders(config);
  const keyed = Object.entries(config.providers).map(([id, section]) => {
    const keys = Object.hasOwn(recorded, id) ? (recorded[id] ?? 0) : 0;
    return [
      id,
      keys === 0 ? section : { ...section, api_key: Array.from({ length: keys }, () => 'replayed') },
    ];
  });
  const providers = Object.fromEntries(keyed) as Config['providers'];
  return readyProviders({ ...config, providers }).filter(({ provider: { id } }) =>
    Object.hasOwn(recorded, id),
  );
}

const lazily = (load: () => Promise<Web>): Web => ({
  exchange: (request, kind, send) => {
    let running: Running | undefined;
    let ended: Error | undefined;
    const done = load().then((web) => {
      if (ended !== undefined) throw ended;
      running = web.exchange(request, kind, send);
      return running.done;
    });
    const abort = (reason: Error): void => {
      ended = reason;
      running?.abort(reason);
    };
    return { done, abort };
  },
});
