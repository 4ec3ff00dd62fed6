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
  gzip: Buffer;
  brotli: Buffer;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The console's files by path, each prepared once. The list is fixed: no request can name another file. */
export function createAssets(): (path: string) => Asset | undefined {
  const isSource = import.meta.url.endsWith('.ts');
  const files = isSource ? sourceFiles() : packedFiles();
  const ready = new Map<string, Asset>();
  return (path) => {
    const file = files.get(path);
    if (file === undefined) return undefined;
    const known = ready.get(path) ?? prepare(readFileSync(file));
    ready.set(path, known);
    return known;

    function prepare(stored: Buffer): Asset {
      const plain = isSource ? Buffer.from(forBrowsers(stored.toString())) : brotliDecompressSync(stored);
      return {
        type: TYPES[extname(path)] ?? 'application/octet-stream',
        etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
        plain,
        gzip: gzipSync(plain, { level: 9 }),
        brotli: isSource
          ? brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
          : stored,
      };
    }
  };
}

/** From source, the libraries come out of node_modules. */
function sourceFiles(): Map<string, string> {
  const files = filesIn(fileURLToPath(new URL('./static/', import.meta.url)));
  const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));
  for (const { name, file } of vendor) files.set(`vendor/${name}`, join(modules, file));
  return files;
}

/** In the package everything is in `dist/console`, compressed: that is how browsers want it, and a third of the size. */
function packedFiles(): Map<string, string> {
  const places = ['./console/', '../console/', '../../console/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const folder = places.find((place) => existsSync(join(place, 'index.html.br'))) ?? './console/';
  return new Map([...filesIn(folder)].map(([path, file]) => [path.replace(/\.br$/, ''), file]));
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
