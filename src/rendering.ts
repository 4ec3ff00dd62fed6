import type { Config } from './config/schema.ts';
import type { Clock } from './core/clock.ts';
import { LIMITS } from './core/limits.ts';
import { createGuardedFetch, type GuardedFetch } from './net/fetch.ts';
import { createGuardPolicy } from './net/guard.ts';
import type { LazyRenderer } from './operations/services.ts';

/** The browser and its road to the web. A page's scripts reach the public web; what the operator allows is open to its own pages only. */
export function createRendering(
  config: Config,
  own: GuardedFetch,
  clock: Clock,
): LazyRenderer & { close(): Promise<void> } {
  const make = async () => {
    const { createRenderer } = await import('./browser/renderer.ts');
    const open = createGuardedFetch({
      policy: createGuardPolicy({ ports: config.guard.ports }),
      userAgent: config.network.user_agent,
      atOnceMax: LIMITS.renderRequestsAtOnceMax,
      clock,
    });
    const renderer = createRenderer({
      configured: config.extract.chromium,
      path: process.env['PATH'],
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
    render: async (page, caller, signal) => (await get()).renderer.render(page, caller, signal),
    close: async () => void (await (await made)?.close()),
  };
}
