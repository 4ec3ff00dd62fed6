import { existsSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { liveWeb, type Running, type Web } from '../net/web.ts';

export interface OpenedWeb {
  web: Web;
  close(): Promise<void>;
}

/** The web that this process sees. What records and replays is loaded with the first request; most processes need neither. */
export function openWeb({ web: settings }: Config, clock: Clock, secrets: readonly string[]): OpenedWeb {
  const { mode, snapshot, misses } = settings;
  if (mode === 'live') return { web: liveWeb, close: async () => {} };
  const [first] = snapshot;
  if (first === undefined || (mode !== 'replay' && snapshot.length > 1))
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
  const open = async () => {
    const { openMode } = await import('../snapshot/mode.ts');
    return openMode({ mode, snapshots: snapshot, misses, isPacked: settings.pack, clock, secrets });
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    web: lazily(async () => (await (opened ??= open())).web),
    close: async () => (await opened)?.close(),
  };
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
