import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The entry file of a worker thread. In the package it is `dist/<name>.cjs`, beside this file or one folder
 * up, because the bundler moves shared code. From source it is `src/<name>.ts`, which Node 20 can only load
 * through tsx. tsx does not apply to the entry of a thread, so the entry is a line that registers it first.
 * That takes half a second per thread, so tests use a build of the same source (HEADGATE_TEST_DIST) when
 * there is one.
 */
export function workerFile(name: string): URL {
  if (!import.meta.url.endsWith('.ts')) {
    const beside = new URL(`./${name}.cjs`, import.meta.url);
    return existsSync(beside) ? beside : new URL(`../${name}.cjs`, import.meta.url);
  }
  // oxlint-disable-next-line node/no-process-env -- for tests, and only when running from source
  const dist = process.env['HEADGATE_TEST_DIST'];
  if (dist !== undefined) return pathToFileURL(join(dist, `${name}.cjs`));
  const source = new URL(`../${name}.ts`, import.meta.url).href;
  const found = createRequire(import.meta.url).resolve('tsx/esm/api');
  const tsx = pathToFileURL(found.replace(/\.cjs$/, '.mjs')).href;
  const code = `import { register } from ${JSON.stringify(tsx)}; register(); await import(${JSON.stringify(source)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/**
 * Options for threads that open SQLite: hides Node's warning that its SQLite is experimental. What we use of
 * it is covered by a contract suite.
 */
export const SQLITE_THREAD_ARGV = ['--disable-warning=ExperimentalWarning'];
