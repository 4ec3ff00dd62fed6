import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
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

/** The console's files by path, each compressed once. The list is fixed: no request can name another file. */
export function createAssets(): (path: string) => Asset | undefined {
  const files = filesOf();
  const ready = new Map<string, Asset>();
  return (path) => {
    const file = files.get(path);
    if (file === undefined) return undefined;
    const known = ready.get(path) ?? prepare(file());
    ready.set(path, known);
    return known;

    function prepare(plain: Buffer): Asset {
      return {
        type: TYPES[extname(path)] ?? 'application/octet-stream',
        etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
        plain,
        gzip: gzipSync(plain, { level: 9 }),
        brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      };
    }
  };
}

/** In the package everything is in `dist/console`; from source, libraries come out of node_modules. */
function filesOf(): Map<string, () => Buffer> {
  const own = new URL('./static/', import.meta.url);
  const isSource = import.meta.url.endsWith('.ts');
  const folder = isSource ? own : builtFolder();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/'));
  const base = fileURLToPath(folder).replaceAll('\\', '/');
  const files = new Map(
    names.map((name) => [name.slice(base.length).replace(/^\//, ''), () => readFileSync(name)]),
  );
  if (!isSource) return files;
  for (const { name, file } of vendor) {
    const place = new URL(`../../../node_modules/${file}`, import.meta.url);
    files.set(`vendor/${name}`, () => Buffer.from(forBrowsers(readFileSync(place, 'utf8'))));
  }
  return files;
}

/** Resolves bare module names for browsers and drops source map comments, as the build does. */
const forBrowsers = (code: string): string =>
  code.replaceAll('from"preact"', 'from"./preact.js"').replace(/\n\/\/# sourceMappingURL=.*/, '');

function builtFolder(): URL {
  const places = ['./console/', '../console/', '../../console/'].map(
    (path) => new URL(path, import.meta.url),
  );
  return (
    places.find((place) => existsSync(new URL('index.html', place))) ?? new URL('./console/', import.meta.url)
  );
}
