import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { onAbort } from '../core/on-abort.ts';
import { type Browser, launch } from './launch.ts';
import { findChromium } from './find-chromium.ts';
import { drawPage } from './draw-page.ts';
import type { FetchedPage, PageFetch } from './traffic.ts';

/** A page after its scripts have run. */
export interface Rendered {
  html: string;
  /** Where the page ended up. */
  url: string;
  warnings: string[];
}

export interface Renderer {
  /** The browser that would be used, if there is one. */
  file(): string | undefined;
  /** Runs the scripts of a page that was fetched, and returns what became of it. Every failure is a HeadgateError. */
  render(page: FetchedPage, caller: string, signal: AbortSignal): Promise<Rendered>;
  /** Kills every browser. */
  close(): Promise<void>;
}

interface RendererOptions {
  /** `[extract] chromium`; otherwise the machine is searched. */
  configured: string | undefined;
  path: string | undefined;
  userAgent: string;
  /** Reaches the public web only. */
  open: PageFetch;
  /** Reaches what the operator allows, too. */
  own: PageFetch;
  clock: Clock;
}

/** Renders pages in Chromium, one fresh browser per page and few at a time. Nothing is started before the first page. */
export function createRenderer(options: RendererOptions): Renderer {
  const running = new Map<AbortController, Promise<unknown>>();
  const queue: (() => void)[] = [];
  let active = 0;
  let sandbox = true;
  let renders = 0;

  const file = (): string | undefined =>
    findChromium({ configured: options.configured, path: options.path, exists: existsSync });

  /** Not every system lets a browser have its sandbox; where it cannot, the answer says so. */
  const start = async (executable: string): Promise<Browser> => {
    const { userAgent } = options;
    try {
      return await launch(executable, { userAgent, sandbox });
    } catch (thrown) {
      if (!sandbox) throw thrown;
      const browser = await launch(executable, { userAgent, sandbox: false });
      sandbox = false;
      return browser;
    }
  };
  const work = async (page: FetchedPage, caller: string, signal: AbortSignal): Promise<Rendered> => {
    const executable = file();
    if (executable === undefined) throw missing(options.configured);
    const browser = await start(executable);
    const stopListening = onAbort(signal, () => browser.devtools.end(HeadgateError.from(signal.reason)));
    try {
      renders += 1;
      // Each page has its own slots in the guarded fetch; it cannot use up those of its caller.
      const drawn = await drawPage(browser, page, {
        ...options,
        signal,
        caller: `${caller} render ${renders}`,
      });
      const warnings = sandbox ? [] : ['rendered: without the sandbox of Chromium, which does not work here'];
      return { ...drawn, warnings: [...drawn.warnings, ...warnings] };
    } finally {
      stopListening();
      await browser.close();
    }
  };
  const release = (): void => {
    active -= 1;
    queue.shift()?.();
  };
  const take = async (signal: AbortSignal): Promise<void> => {
    if (active >= LIMITS.renderMax) await waitTurn(queue, signal);
    active += 1;
  };
  return {
    file,
    render: async (page, caller, outer) => {
      const controller = new AbortController();
      const signal = AbortSignal.any([
        outer,
        controller.signal,
        AbortSignal.timeout(LIMITS.renderStartMs + LIMITS.renderMs + LIMITS.renderGraceMs),
      ]);
      await take(outer);
      const rendering = work(page, caller, signal)
        .catch((thrown: unknown) => {
          throw HeadgateError.from(thrown);
        })
        .finally(release);
      running.set(controller, rendering);
      return rendering.finally(() => running.delete(controller));
    },
    close: async () => {
      const reason = new HeadgateError('cancelled', 'Headgate is shutting down.');
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(running.values());
    },
  };
}

function waitTurn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  if (queue.length >= LIMITS.renderQueueMax)
    throw new HeadgateError('rate_limited', 'Too many pages wait to be rendered. Try again later.');
  return new Promise((resolve, reject) => {
    const go = (): void => {
      stopListening();
      resolve();
    };
    queue.push(go);
    const stopListening = onAbort(signal, () => {
      queue.splice(queue.indexOf(go), 1);
      reject(HeadgateError.from(signal.reason));
    });
  });
}

const missing = (configured: string | undefined): HeadgateError =>
  new HeadgateError(
    'not_configured',
    configured === undefined
      ? 'No Chromium was found on this machine.'
      : `[extract] chromium: ${configured} does not exist.`,
    { remediation: 'Install Chromium or Chrome, or name one in [extract] chromium.' },
  );
