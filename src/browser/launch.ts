import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { createDevtools, type Devtools } from './devtools.ts';

export interface Browser {
  devtools: Devtools;
  pid: number;
  /** Kills every process of the browser and removes its profile. */
  close(): Promise<void>;
}

/**
 * The browser has no network: it resolves no names, and its only proxy does not exist, for loopback too.
 * Requests of a page are handled by us (see `traffic.ts`); whatever bypasses that (WebSocket, WebRTC,
 * workers, prefetching, the browser itself) reaches nothing.
 */
const NO_NETWORK = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-quic',
  '--no-pings',
];

const QUIET = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--block-new-web-contents',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-notifications',
  '--disable-sync',
  // The last two would load a page for the address bar, which nobody sees.
  '--disable-features=Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,WebUSB,WebBluetooth,WebUIOmniboxPopup,WebUIOmniboxAimPopup',
  '--blink-settings=imagesEnabled=false',
  '--js-flags=--max-old-space-size=384',
  '--metrics-recording-only',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
];

/** The user `nobody`: scripts of strangers do not run as root, and Chromium refuses its sandbox for root. */
const NOBODY = 65_534;

/** Starts Chromium with an empty profile, and without our environment, which contains keys. */
export async function launch(
  file: string,
  options: { userAgent: string; path: string | undefined; sandbox: boolean },
): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'headgate-browser-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot && options.sandbox ? { uid: NOBODY, gid: NOBODY } : {};
  if (identity.uid !== undefined) chownSync(profile, NOBODY, NOBODY);
  const child = spawn(
    file,
    [
      ...QUIET,
      ...NO_NETWORK,
      ...(options.sandbox ? [] : ['--no-sandbox']),
      `--user-agent=${options.userAgent}`,
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    {
      ...identity,
      cwd: profile,
      // A process group of its own, so that its children end with it.
      detached: process.platform !== 'win32',
      env: environment(profile, options.path),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    },
  );
  const devtools = createDevtools(child.stdio[4] as Readable, child.stdio[3] as Writable);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  void ended.then(() => devtools.end(new HeadgateError('extract_failed', 'Chromium ended early.')));
  const close = async (): Promise<void> => {
    kill(child);
    await ended;
    // Children that exit a moment later may still write; a profile left behind contains no secrets.
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
  };
  return answering({ devtools, pid: child.pid ?? 0, close });
}

async function answering(browser: Browser): Promise<Browser> {
  const timer = setTimeout(
    () => browser.devtools.end(new HeadgateError('extract_failed', 'Chromium did not start in time.')),
    LIMITS.renderStartMs,
  );
  try {
    await browser.devtools.send('Browser.getVersion');
    return browser;
  } catch (thrown) {
    await browser.close();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** The environment for the browser: only where programs are. */
const environment = (profile: string, path: string | undefined): Record<string, string> => ({
  HOME: profile,
  TMPDIR: profile,
  XDG_CONFIG_HOME: profile,
  XDG_CACHE_HOME: profile,
  LANG: 'en_US.UTF-8',
  PATH: path ?? '/usr/local/bin:/usr/bin:/bin',
  ...(process.platform === 'win32' ? { SystemRoot: 'C:\\Windows' } : {}),
});

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
