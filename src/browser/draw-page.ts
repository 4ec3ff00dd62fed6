import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Gate } from '../core/gate.ts';
import type { OwnText } from '../core/text.ts';
import { warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { Devtools } from './devtools.ts';
import type { Browser } from './launch.ts';
import { markHidden } from './mark-hidden.ts';
import { answerTraffic, type DocumentPage, type PageFetch, type Traffic } from './traffic.ts';
import { readFile } from 'node:fs/promises';

interface DrawOptions {
  open: PageFetch;
  own: PageFetch;
  clock: Clock;
  caller: string;
  gate: Gate | undefined;
  signal: AbortSignal;
}

/** Disables APIs that bypass HTTP. They would reach nothing anyway; without them no page waits for them. */
const WITHOUT = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'SharedWorker']) delete globalThis[name];`;

/** Opens a page in a fresh browser, waits until it is idle and returns its document as HTML. */
export async function drawPage(
  { devtools }: Browser,
  page: DocumentPage,
  options: DrawOptions,
): Promise<{ html: string; url: string; warnings: OwnText[] }> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const attached = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const session = String(attached['sessionId']);
  const state = { isLoaded: false };
  devtools.listen(({ method, sessionId, params }) => {
    if (sessionId !== session) return;
    // A page that tries to navigate where it may not stops loading without having loaded.
    const isStopped = method === 'Page.frameStoppedLoading' && params['frameId'] === targetId;
    if (isStopped || method === 'Page.loadEventFired') state.isLoaded = true;
    else if (method === 'Page.javascriptDialogOpening')
      devtools.tell('Page.handleJavaScriptDialog', { accept: false }, session);
    else if (method === 'Inspector.targetCrashed')
      devtools.end(new HeadgateError('extract_failed', 'The page crashed in Chromium.'));
  });
  const traffic = answerTraffic(devtools, {
    ...options,
    page,
    session,
    // The main frame of a page has the ID of its target.
    mainFrame: String(targetId),
    now: () => options.clock.monotonic(),
  });
  await Promise.all([
    devtools.send('Browser.setDownloadBehavior', { behavior: 'deny' }),
    devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, session),
    devtools.send('Page.enable', {}, session),
    devtools.send('Inspector.enable', {}, session),
    devtools.send('Network.setBypassServiceWorker', { bypass: true }, session),
    devtools.send('Page.addScriptToEvaluateOnNewDocument', { source: WITHOUT }, session),
  ]);
  const { errorText } = await devtools.send('Page.navigate', { url: page.url }, session);
  if (errorText !== undefined)
    throw new HeadgateError('extract_failed', 'Chromium could not open the page.', { cause: errorText });
  const isQuiet = await settle(devtools, traffic, state, options);
  return {
    ...(await readDocument(devtools, session, String(targetId), options)),
    warnings: notes(traffic, isQuiet),
  };
}

/** Waits until the page has loaded and made no requests for a while; false when it runs out of time. */
async function settle(
  devtools: Devtools,
  traffic: Traffic,
  state: { isLoaded: boolean },
  { clock, signal }: DrawOptions,
): Promise<boolean> {
  const endsAt = clock.monotonic() + LIMITS.renderMs;
  while (clock.monotonic() < endsAt) {
    await clock.sleep(LIMITS.renderPollMs, signal);
    if ((await memoryOf(devtools)) > LIMITS.renderMemoryMb)
      throw new HeadgateError('extract_failed', 'The page exceeded its memory limit in Chromium.');
    const quietSince = traffic.quietSince();
    if (state.isLoaded && quietSince !== undefined && clock.monotonic() - quietSince >= LIMITS.renderSettleMs)
      return true;
  }
  return false;
}

/** Reads the document through the browser, not through a script, which the page could have changed. */
async function readDocument(
  devtools: Devtools,
  session: string,
  frame: string,
  { clock, signal }: DrawOptions,
): Promise<{ html: string; url: string }> {
  const late = new AbortController();
  const stop = (): void =>
    devtools.end(new HeadgateError('extract_failed', 'The scripts of the page did not finish.'));
  void clock.sleep(LIMITS.renderGraceMs, AbortSignal.any([signal, late.signal])).then(stop, () => {});
  try {
    await markHidden(devtools, session, frame);
    const { root } = await devtools.send('DOM.getDocument', { depth: 0 }, session);
    const { nodeId, documentURL } = root as { nodeId: number; documentURL: string };
    const shown = await devtools.send('DOM.getOuterHTML', { nodeId, includeShadowDOM: true }, session);
    const html = String(shown['outerHTML']);
    if (html.length > LIMITS.renderHtmlCharsMax)
      throw new HeadgateError('page_too_large', 'The page grew too large when its scripts ran.');
    if (!/^https?:/.test(documentURL))
      throw new HeadgateError('extract_failed', 'The page navigated to an address that cannot be read.');
    return { html, url: documentURL };
  } finally {
    late.abort();
  }
}

function notes(traffic: Traffic, isQuiet: boolean): OwnText[] {
  const refused = traffic.refused();
  return [
    ...(refused === 0 ? [] : [warned`rendered: ${refused} of the page’s requests were refused by the guard`]),
    ...(isQuiet
      ? []
      : [
          warned`rendered: the page did not come to rest within ${LIMITS.renderMs / 1_000} s; this is how it looked then`,
        ]),
  ];
}

/**
 * The private memory of the browser's processes in megabytes; 0 where the system does not report it (only
 * Linux does).
 */
async function memoryOf(devtools: Devtools): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const processes = Array.isArray(processInfo) ? (processInfo as { id?: unknown }[]) : [];
  const sizes = await Promise.all(processes.map(({ id }) => ownMemory(Number(id))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function ownMemory(pid: number): Promise<number> {
  // A process that has exited counts as zero.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}
