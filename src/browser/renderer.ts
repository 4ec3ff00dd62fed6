import { existsSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { withinTime } from '../core/deadline.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Gate } from '../core/gate.ts';
import type { OwnText } from '../core/text.ts';
import { own, named, warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { onAbort } from '../core/on-abort.ts';
import { type Browser, launch } from './launch.ts';
import { drawPage } from './draw-page.ts';
import type { DocumentPage, PageFetch } from './traffic.ts';
import { delimiter, join } from 'node:path';

/** A page after its scripts have run. */
export interface Rendered {
  html: string;
  /** The final URL of the page. */
  url: string;
  warnings: OwnText[];
}

/** Whose page it is, and what that caller may load. */
interface RenderedFor {
  caller: string;
  gate: Gate | undefined;
}

export interface Renderer {
  /** The browser that would be used, if there is one. */
  file(): string | undefined;
  /** Runs the scripts of a fetched page and returns the result. Every failure is a HeadgateError. */
  render(page: DocumentPage, by: RenderedFor, signal: AbortSignal): Promise<Rendered>;
  /** Kills every browser. */
  close(): Promise<void>;
}

interface RendererOptions {
  /** `[extract] chromium`; otherwise the machine is searched. */
  configured: string | undefined;
  path: string | undefined;
  userAgent: string;
  /** Fetches from the public web only. */
  open: PageFetch;
  /** Also fetches what the operator allows. */
  own: PageFetch;
  clock: Clock;
}

const RENDER_ALL_MS = LIMITS.renderStartMs + LIMITS.renderMs + LIMITS.renderGraceMs;

/**
 * Renders pages in Chromium, one fresh browser per page and a few at a time. Nothing is started before the
 * first page.
 */
export function createRenderer(options: RendererOptions): Renderer {
  const running = new Map<AbortController, Promise<unknown>>();
  const turns = createTurns();
  const starter = createStarter(options);
  let renders = 0;

  const work = async (
    page: DocumentPage,
    { caller, gate }: RenderedFor,
    signal: AbortSignal,
  ): Promise<Rendered> => {
    const browser = await starter.start();
    const stopListening = onAbort(signal, () => browser.devtools.end(HeadgateError.from(signal.reason)));
    try {
      renders += 1;
      // Each page has its own slots in the guarded fetch, so it cannot use up those of its caller.
      const drawn = await drawPage(browser, page, {
        ...options,
        signal,
        gate,
        caller: `${caller} render ${renders}`,
      });
      return { ...drawn, warnings: [...drawn.warnings, ...starter.warnings()] };
    } catch (thrown) {
      throw HeadgateError.from(thrown);
    } finally {
      stopListening();
      await browser.close();
    }
  };
  return {
    file: starter.file,
    render: async (page, by, outer) => {
      const controller = new AbortController();
      await turns.take(outer);
      const signals = AbortSignal.any([outer, controller.signal]);
      const rendering = withinTime(signals, RENDER_ALL_MS, options.clock, (signal) =>
        work(page, by, signal),
      ).finally(() => {
        turns.release();
        running.delete(controller);
      });
      running.set(controller, rendering);
      return rendering;
    },
    close: async () => {
      const reason = new HeadgateError('cancelled', 'Headgate is shutting down.');
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(running.values());
    },
  };
}

/** Starts browsers. Some systems do not allow the sandbox; the answer says so then. */
function createStarter({ configured, path, userAgent }: RendererOptions) {
  let sandbox = true;
  const file = (): string | undefined => findChromium({ configured, path, exists: existsSync });
  const start = async (): Promise<Browser> => {
    const executable = file();
    if (executable === undefined) throw missing(configured);
    try {
      return await launch(executable, { userAgent, path, sandbox });
    } catch (thrown) {
      if (!sandbox) throw thrown;
      const browser = await launch(executable, { userAgent, path, sandbox: false });
      sandbox = false;
      return browser;
    }
  };
  const warnings = (): OwnText[] =>
    sandbox ? [] : [warned`rendered: without the sandbox of Chromium, which does not work here`];
  return { file, start, warnings };
}

/** Limits the number of browsers, first come, first served, with a bounded queue. */
function createTurns() {
  const queue: (() => void)[] = [];
  let active = 0;
  const waitTurn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
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
  return {
    take: async (signal: AbortSignal): Promise<void> => {
      if (queue.length >= LIMITS.renderQueueMax)
        throw new HeadgateError('rate_limited', 'Too many pages wait to be rendered. Try again later.');
      if (active >= LIMITS.renderMax) await waitTurn(signal);
      else active += 1;
    },
    /** Passes the slot to the next in the queue, or frees it. */
    release: (): void => {
      const next = queue.shift();
      if (next === undefined) active -= 1;
      else next();
    },
  };
}

const missing = (configured: string | undefined): HeadgateError =>
  new HeadgateError(
    'not_configured',
    configured === undefined
      ? 'No Chromium was found on this machine.'
      : own`[extract] chromium: ${named(configured)} does not exist.`,
    { remediation: 'Install Chromium or Chrome, or name one in [extract] chromium.' },
  );

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Finds Chromium: the configured one, else one on the PATH or at the usual places. Undefined when there is
 * none.
 */
export function findChromium(options: {
  configured: string | undefined;
  path: string | undefined;
  exists(file: string): boolean;
}): string | undefined {
  const { configured, path, exists } = options;
  // A wrong path is a mistake to report, not a reason to use another browser.
  if (configured !== undefined) return exists(configured) ? configured : undefined;
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...onPath, ...PLACES].find((file) => exists(file));
}
