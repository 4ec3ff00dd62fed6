import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import vendor from './vendor.json' with { type: 'json' };

/** A file of the console, ready to send. */
export interface Asset {
  type: string;
  etag: string;
  plain: Buffer;
  gzip(): Buffer;
  brotli: Buffer;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** The console's files by path, each prepared once. The list is fixed: no request can name another file. */
export function createAssets(): (path: string) => Asset | undefined {
  let read: ((path: string) => string | undefined) | undefined;
  const ready = new Map<string, Asset>();
  return (path) => {
    const known = ready.get(path);
    if (known !== undefined) return known;
    read ??= import.meta.url.endsWith('.ts') ? sourceFiles() : packedFiles();
    const text = read(path);
    if (text === undefined) return undefined;
    const plain = Buffer.from(text);
    // Nearly every client takes Brotli.
    let gzip: Buffer | undefined;
    const asset = {
      type: TYPES[extname(path)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      plain,
      gzip: () => (gzip ??= gzipSync(plain, { level: 9 })),
      brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    };
    ready.set(path, asset);
    return asset;
  };
}

/** From source, the libraries come out of node_modules. */
function sourceFiles(): (path: string) => string | undefined {
  const files = filesIn(fileURLToPath(new URL('./static/', import.meta.url)));
  const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
  for (const { name, file } of vendor) files.set(`vendor/${name}`, join(modules, file));
  return (path) => {
    const file = files.get(path);
    return file === undefined ? undefined : forBrowsers(readFileSync(file, 'utf8'));
  };
}

/** In the package everything is in `dist/console.br`, compressed as one: that takes a quarter less than one by one. */
function packedFiles(): (path: string) => string | undefined {
  const places = ['./console.br', '../console.br', '../../console.br'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const file = places.find((place) => existsSync(place)) ?? 'console.br';
  const parts = brotliDecompressSync(readFileSync(file)).toString().split('\0');
  const files = new Map(
    parts.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, parts[at + 1] ?? '']] : [])),
  );
  return (path) => files.get(path);
}

const filesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).replaceAll('\\', '/'), file]),
  );

/** Resolves bare module names for browsers and drops source map comments, as the build does. */
const forBrowsers = (code: string): string =>
  code.replaceAll('from"preact"', 'from"./preact.js"').replace(/\n\/\/# sourceMappingURL=.*/, '');
