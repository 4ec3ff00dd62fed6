import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { isPdf } from '../extract/page-bytes.ts';
import { createExtractPool, type ExtractPool } from '../extract/pool.ts';
import { createGuardedFetch, type GuardedFetch } from '../net/fetch.ts';
import { createGuardPolicy } from '../net/guard.ts';
import type { Web } from '../net/web.ts';
import type { LazyRenderer, Services } from '../operations/services.ts';

type Reading = Pick<Services, 'fetch' | 'extract' | 'renderer'> & { close(): Promise<void> };

interface ReadingOptions {
  clock: Clock;
  web: Web;
  path?: string | undefined;
  /** Whether the process ends with one command. */
  isOneCommand?: boolean;
  pool?: ExtractPool;
}

/** Everything that turns an address into text: guarded fetch, extraction workers and the browser. */
export function createReading(config: Config, options: ReadingOptions): Reading {
  const guarded = createGuardedFetch({
    policy: createGuardPolicy(config.guard),
    userAgent: config.network.user_agent,
    clock: options.clock,
    web: options.web,
  });
  const { pool = createExtractPool() } = options;
  const renderer = createRendering(config, guarded.fetch, options);
  return {
    fetch: guarded.fetch,
    extract: options.isOneCommand === true ? firstPageHere(pool.extract) : pool.extract,
    renderer,
    close: async () => void (await Promise.all([guarded.close(), pool.close(), renderer.close()])),
  };
}

/**
 * Reads the first page without a thread if it is small: starting one takes longer than reading it. A page that
 * fails unexpectedly, as one that is nested too deep for this stack, is read again in a thread.
 */
function firstPageHere(extract: Services['extract']): Services['extract'] {
  let isFirst = true;
  return async (page, wanted, signal) => {
    const isHere = isFirst && page.bytes.length <= LIMITS.extractHereBytesMax && !isPdf(page.bytes);
    isFirst = false;
    if (!isHere) return extract(page, wanted, signal);
    const { extractPage } = await import('../extract/page.ts');
    signal?.throwIfAborted();
    return extractPage(page, wanted).catch((thrown: unknown) => {
      if (thrown instanceof HeadgateError) throw thrown;
      return extract(page, wanted, signal);
    });
  };
}

/** The browser and its network access: public hosts, and allowed hosts only from their own pages. */
function createRendering(
  config: Config,
  own: GuardedFetch,
  { clock, web, path }: ReadingOptions,
): LazyRenderer & { close(): Promise<void> } {
  const make = async () => {
    const { createRenderer } = await import('../browser/renderer.ts');
    const open = createGuardedFetch({
      policy: createGuardPolicy({ ports: config.guard.ports }),
      userAgent: config.network.user_agent,
      atOnceMax: LIMITS.renderRequestsAtOnceMax,
      clock,
      web,
    });
    const renderer = createRenderer({
      configured: config.extract.chromium,
      path,
      userAgent: config.network.user_agent,
      open: open.fetch,
      own,
      clock,
    });
    return { renderer, close: () => Promise.all([renderer.close(), open.close()]) };
  };
  let made: ReturnType<typeof make> | undefined;
  const get = () => (made ??= make());
  return {
    file: async () => (await get()).renderer.file(),
    render: async (page, by, signal) => (await get()).renderer.render(page, by, signal),
    close: async () => void (await (await made)?.close()),
  };
}
