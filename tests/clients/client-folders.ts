import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sayNotRun } from '../support/not-run.ts';

const cache = process.env['HEADGATE_CLIENTS'];
const names = (process.env['HEADGATE_CLIENT_NAMES'] ?? '').split(',').filter((name) => name !== '');

/** The clients that `npm run test:clients` has installed; none in a normal run. */
export const clientNames: readonly string[] = cache === undefined ? [] : names;

if (cache === undefined) sayNotRun('the clients of others', '`npm run test:clients`, which installs them');

/** Where a client is installed, or undefined. */
export const clientFolder = (name: string): string | undefined =>
  cache !== undefined && names.includes(name) ? join(cache, name) : undefined;

/** A package of a client's own folder, as an ES module would import it from there. */
export async function load(client: string, name: string): Promise<Record<string, never>> {
  const shim = join(clientFolder(client) ?? '', 'load.mjs');
  writeFileSync(shim, `export * from '${name}';\n`);
  return (await import(pathToFileURL(shim).href)) as Record<string, never>;
}

/** The Node that a client needs: this one, unless it asks for a newer one. */
export const nodeFor = (name: string): string =>
  (NEEDS_NEWER_NODE.has(name) ? process.env['HEADGATE_NODE_22'] : undefined) ?? process.execPath;

const NEEDS_NEWER_NODE = new Set(['mastra']);
