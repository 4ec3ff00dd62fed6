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

/** A program that a client brings, below its packages. */
export const programOf = (client: string, path: string): string =>
  join(clientFolder(client) ?? '', 'node_modules', path);

/** Node of another major version; this one where it is not installed. */
export const nodeOf = (major: 22 | 24): string =>
  clientFolder(`node-${major}`) === undefined
    ? process.execPath
    : programOf(`node-${major}`, `node-${process.platform}-${process.arch}/bin/node`);
