// The loader of the bin: `require` for the files of this package, which keeps what V8 compiled for the next start of the same
// command (docs/decisions/1201-the-first-call.md). The build puts it at the top of dist/main.cjs and sets BUILD.
/* global BUILD */
// oxlint-disable-next-line no-unused-vars -- the rest of dist/main.cjs calls it
const load = (() => {
  const fs = require('node:fs');
  const Module = require('node:module');
  const { dirname, join } = require('node:path');
  const vm = require('node:vm');

  const SAVE_AFTER_MS = 5_000;
  const scripts = new Map();
  let cache;
  let hasNew = false;
  let timer;

  // The version tag covers V8 and its flags. V8 itself compares only the length of the source, so the build is in the name.
  // Where Node is told to keep compiled code, ours goes into a folder of its own.
  const folder = () =>
    process.env.NODE_COMPILE_CACHE
      ? join(process.env.NODE_COMPILE_CACHE, 'headgate')
      : join(process.env.HEADGATE_HOME ?? join(require('node:os').homedir(), '.headgate'), 'cache');
  const name = () =>
    `${process.argv[2]}-${BUILD}-${require('node:v8').cachedDataVersionTag().toString(36)}-${process.arch}.bin`;
  const isOff = () =>
    process.env.NODE_DISABLE_COMPILE_CACHE === '1' || !/^[a-z]+$/.test(process.argv[2] ?? '');

  /** The file: the length of the index, the index (where the code of each file is), the code. */
  function open() {
    if (isOff()) return {};
    try {
      const opened = fs.openSync(join(folder(), name()));
      const { size } = fs.fstatSync(opened);
      // V8 copies what it takes, so the code of a file is read when the file is compiled, and not kept.
      const read = (from, to) => {
        if (!(from <= to && to <= size)) return undefined;
        const bytes = Buffer.allocUnsafeSlow(to - from);
        fs.readSync(opened, bytes, 0, bytes.length, from);
        return bytes;
      };
      const start = 4 + read(0, 4).readUInt32LE(0);
      const index = JSON.parse(read(4, start).toString());
      return { opened, index, codeOf: ([from, to]) => read(start + from, start + to) };
    } catch {
      return {};
    }
  }

  /** Replaces the file at once and whole. Where nothing can be written, nothing is kept. */
  function save() {
    clearTimeout(timer);
    if (!hasNew || isOff()) return;
    hasNew = false;
    const temporary = join(folder(), `${process.pid}.tmp`);
    try {
      fs.mkdirSync(folder(), { recursive: true, mode: 0o700 });
      const opened = fs.openSync(temporary, 'wx', 0o600);
      const { index: old = {}, codeOf } = cache;
      const code = Object.fromEntries(Object.entries(old).map(([file, place]) => [file, codeOf(place)]));
      for (const [file, script] of scripts) code[file] = script.createCachedData();
      let end = 0;
      const index = Object.entries(code).map(([file, { length }]) => [file, [end, (end += length)]]);
      const head = Buffer.from(JSON.stringify(Object.fromEntries(index)));
      const size = Buffer.alloc(4);
      size.writeUInt32LE(head.length);
      fs.writeFileSync(opened, Buffer.concat([size, head, ...Object.values(code)]));
      fs.fsyncSync(opened);
      fs.closeSync(opened);
      // Some systems do not replace an open file.
      if (cache.opened !== undefined) fs.closeSync(cache.opened);
      cache = undefined;
      fs.renameSync(temporary, join(folder(), name()));
      for (const other of fs.readdirSync(folder())) {
        if (!other.includes(`-${BUILD}-`)) fs.rmSync(join(folder(), other), { force: true });
      }
    } catch {
      remove(temporary);
    }
  }

  function remove(file) {
    try {
      fs.rmSync(file, { force: true });
    } catch {
      // Not even its folder is one.
    }
  }

  function sourceOf(file) {
    try {
      return fs.readFileSync(file, 'utf8');
    } catch (cause) {
      throw new Error(`Headgate is not installed whole: ${file} is missing.`, { cause });
    }
  }

  function compile(file) {
    const source = sourceOf(file);
    cache ??= open();
    const place = file.slice(__dirname.length + 1);
    // Compiled code that was kept has lost where its `import()` leads to: the few files that have one are compiled each time.
    const isKept = !source.includes('import(');
    const kept = isKept ? cache.index?.[place] : undefined;
    const script = new vm.Script(
      `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
      {
        filename: file,
        cachedData: kept && cache.codeOf(kept),
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      },
    );
    if (isKept) scripts.set(place, script);
    if (isKept && script.cachedDataRejected !== false && !hasNew) {
      if (timer === undefined) process.once('exit', save);
      hasNew = true;
      // A server may be killed instead of ended.
      timer = setTimeout(save, SAVE_AFTER_MS).unref();
    }
    return script.runInThisContext();
  }

  /** Parts of Node that are loaded with the first use of one of their names: together they take as long as `node -e 0`. */
  const LATE = new Set(
    'child_process crypto dns/promises http https net os tls worker_threads zlib'
      .split(' ')
      .map((name) => `node:${name}`),
  );
  /** A name is looked up once, and is then a property as any other: what is behind a proxy is slow at every use. */
  const late = (id) =>
    Object.create(
      new Proxy(
        {},
        {
          get(_, name, self) {
            const value = require(id)[name];
            Object.defineProperty(self, name, { value, writable: true, configurable: true });
            return value;
          },
        },
      ),
    );

  function requireFrom(folder, id) {
    if (!id.startsWith('.')) return LATE.has(id) ? late(id) : require(id);
    const file = join(folder, id);
    // Shared with Node's own loader: tools of a user may import this package too.
    if (require.cache[file] !== undefined) return require.cache[file].exports;
    const module = new Module(file);
    module.filename = file;
    require.cache[file] = module;
    try {
      const below = dirname(file);
      compile(file).call(
        module.exports,
        module.exports,
        (other) => requireFrom(below, other),
        module,
        file,
        below,
      );
      module.loaded = true;
    } catch (thrown) {
      delete require.cache[file];
      throw thrown;
    }
    return module.exports;
  }
  return (id) => requireFrom(__dirname, id);
})();
