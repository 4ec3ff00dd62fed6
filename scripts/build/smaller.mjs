// What makes the bundle small without taking anything from who uses it; docs/decisions/1200-one-small-package.md says why each.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);

/**
 * An esbuild plugin; `quality` is Brotli's: 11 for what is published, less for what is built all the time. Blocks of a megabyte and a postfix
 * bit for distances suit the columns of the tokenizer, which are the most of it.
 */
export function smaller(dist, quality) {
  const data = join(dist, 'data');
  const store = async (name, bytes) => {
    mkdirSync(data, { recursive: true });
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_LGBLOCK]: 20,
      [constants.BROTLI_PARAM_NPOSTFIX]: 1,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(join(data, name), await compress(bytes, { params }));
  };
  return {
    name: 'smaller',
    setup(context) {
      // Messages are ours and English; forty languages of zod's would never be shown.
      context.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js';",
      }));
      // Zod compiles each object schema on its first use, which costs a short process more than it saves. The setting is
      // shared with every zod of a process, so ours is kept apart from that of the programs that import us.
      context.onLoad({ filter: /zod[\\/]v4[\\/]core[\\/]core\.js$/ }, ({ path }) => {
        const contents = readFileSync(path, 'utf8').replaceAll('globalThis', 'ours');
        if (!contents.includes('ours.__zod_globalConfig'))
          throw new Error(`${path} no longer has the setting that is replaced here.`);
        return { contents: `const ours = { __zod_globalConfig: { jitless: true } };\n${contents}` };
      });
      // With that setting nothing is compiled, and no schema of ours comes from JSON. What zod exports of both is named, and nothing more.
      context.onLoad(
        { filter: /zod[\\/]v4[\\/](core[\\/]compile|classic[\\/]from-json-schema)\.js$/ },
        ({ path }) => ({
          contents: namesOnly(readFileSync(path, 'utf8')),
        }),
      );
      // Arguments are checked by bridge/schema/check.ts, so the SDK's own validator would only lie there.
      context.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
        path: 'shims',
        namespace: 'smaller',
      }));
      context.onLoad({ filter: /^shims$/, namespace: 'smaller' }, () => ({ contents: SHIMS }));
      // We never ask pg for its native client, which would need a compiled package.
      context.onLoad({ filter: /[\\/]pg[\\/]lib[\\/]native[\\/]index\.js$/ }, () => ({
        contents: 'module.exports = undefined;',
      }));
      // The table of the tokenizer lies compressed beside the code and is read when it is needed.
      context.onResolve({ filter: /^smaller:data$/ }, () => ({ path: 'data', namespace: 'smaller' }));
      context.onLoad({ filter: /^data$/, namespace: 'smaller' }, () => ({ contents: READ }));
      context.onLoad(
        { filter: /gpt-tokenizer[\\/]esm[\\/]bpeRanks[\\/]o200k_base\.js$/ },
        async ({ path }) => {
          const { default: ranks } = await import(pathToFileURL(path).href);
          await store('o200k-base.br', pairsOf(ranks));
          return { contents: RANKS };
        },
      );
      // SQL is indented for its readers; a database does without. Migrations stay as they are, since later ones change the text of earlier ones.
      const withSql = /[\\/]src[\\/]store[\\/](?:(?:copy|ledger|postgres|sqlite)[\\/])?[^\\/]+\.ts$/;
      context.onLoad({ filter: withSql }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll(/\n[ \t]+/g, '\n'),
        loader: 'ts',
      }));
      // The weights that recognise topics, which only a gateway's router reads, lie compressed, too.
      context.onLoad({ filter: /[\\/]topic[\\/]weights\.json$/ }, async ({ path }) => {
        await store('topic-weights.br', readFileSync(path));
        return {
          contents:
            "import { read } from 'smaller:data'; export default JSON.parse(read('topic-weights.br'));",
        };
      });
    },
  };
}

const namesOnly = (module) =>
  Array.from(
    module.matchAll(/^export (?:const|class|(?:async )?function) (\w+)/gm),
    ([, name]) => `export function ${name}() { throw new Error('Headgate leaves ${name} of zod out.'); }`,
  ).join('\n');

const SHIMS = `
  export { default as process } from 'node:process';
  export class DefaultJsonSchemaValidator {
    getValidator() {
      throw new Error('Headgate leaves the validator of the MCP SDK out; check the schema with headgate/bridge.');
    }
  }`;

/**
 * The bundler puts shared code into dist/chunks and the rest into dist or below; the data is found from all of them. What others bundle has
 * no data beside it, and what runs in a browser no files at all: there tokens are estimated, so nothing of Node is imported here.
 */
const READ = `
  export function read(name) {
    const builtin = globalThis.process?.getBuiltinModule;
    const fs = builtin?.('node:fs');
    const here = typeof __dirname === 'string' ? __dirname : '.';
    const found = ['/', '/../', '/../../', '/../../../']
      .map((up) => here + up + 'data/' + name)
      .find((file) => fs?.existsSync?.(file));
    if (found === undefined) throw new Error('Headgate is not installed whole: data/' + name + ' is missing.');
    return builtin('node:zlib').brotliDecompressSync(fs.readFileSync(found));
  }`;

/**
 * A token is two earlier ones put together, except for the 256 that are one byte. The pairs, as columns of bytes, compress better than the
 * text does and are faster to read.
 */
function pairsOf(ranks) {
  const tokens = ranks.map((token) => Buffer.from(token).toString('latin1'));
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]));
  const columns = Buffer.alloc(6 * tokens.length);
  tokens.forEach((token, rank) => {
    if (token.length === 1) return put(columns, rank, token.charCodeAt(0), rank);
    const pairs = Array.from({ length: token.length - 1 }, (_, at) =>
      [token.slice(0, at + 1), token.slice(at + 1)].map((part) => rankOf.get(part)),
    );
    // Small numbers compress best, so of all ways to cut a token the one with the smallest product is kept.
    const [best] = pairs
      .filter((pair) => pair.every((part) => part < rank))
      .toSorted(([a, b], [c, d]) => (a + 2) * (b + 2) - (c + 2) * (d + 2));
    if (best === undefined) throw new Error(`Token ${rank} is not made of two earlier ones.`);
    put(columns, rank, ...best);
  });
  return columns;
}

function put(columns, rank, left, right) {
  const count = columns.length / 6;
  [left, left >> 8, left >> 16, right, right >> 8, right >> 16].forEach((byte, column) => {
    columns[column * count + rank] = byte & 255;
  });
}

/**
 * A pair whose right half is the token itself is a single byte. What is no whole character, or starts with a byte order mark, stays an
 * array of bytes, as the tokenizer wants it.
 */
const RANKS = `
  import { read } from 'smaller:data';
  const columns = read('o200k-base.br');
  const count = columns.length / 6;
  const number = (rank, first) =>
    columns[first * count + rank] | (columns[(first + 1) * count + rank] << 8) | (columns[(first + 2) * count + rank] << 16);
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const bytesOf = (token) => (typeof token === 'string' ? Buffer.from(token) : token);
  function tokenOf(bytes) {
    try {
      const text = utf8.decode(Uint8Array.from(bytes));
      return text.startsWith('\\uFEFF') ? bytes : text;
    } catch {
      return bytes;
    }
  }
  const tokens = new Array(count);
  for (let rank = 0; rank < count; rank++) {
    const right = number(rank, 3);
    if (right === rank) {
      tokens[rank] = tokenOf([number(rank, 0)]);
      continue;
    }
    const a = tokens[number(rank, 0)];
    const b = tokens[right];
    tokens[rank] = typeof a === 'string' && typeof b === 'string' ? a + b : tokenOf([...bytesOf(a), ...bytesOf(b)]);
  }
  export default tokens;`;
