import { delimiter, join } from 'node:path';

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
