import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'src');

/** The layer table of ARCHITECTURE.md: folder → folders it may import. `*` means everything. */
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const LAYERS = layersIn(page);

/** Its second table: folder → its subfolders, from the top to the ground. */
const ROOMS = roomsIn(page);

const files = walk(source).filter((file) => file.endsWith('.ts'));
const code = files.filter((file) => !file.endsWith('.test.ts'));

const EXPORTED_NAME = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

describe('the tree', () => {
  test('is really read: a check that sees nothing would pass', () => {
    expect(code.length).toBeGreaterThan(300);
    expect(Object.keys(LAYERS).length).toBeGreaterThan(15);
    expect(LAYERS['core']).toEqual([]);
    expect(Object.keys(ROOMS).length).toBeGreaterThan(8);
  });

  test('is described on one page: ARCHITECTURE.md has fewer than 100 lines', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThan(100);
  });

  test('has no folder outside the layer table', () => {
    const folders = new Set(code.map(folderOf));
    expect([...folders].filter((folder) => !(folder in LAYERS))).toEqual([]);
  });

  test('imports only downwards', () => {
    const wrong = code.flatMap((file) => {
      const from = folderOf(file);
      const allowed = LAYERS[from] ?? [];
      return importsOf(file)
        .map(folderOf)
        .filter((to) => to !== from && !allowed.includes('*') && !allowed.includes(to))
        .map((to) => `${relative(root, file)} imports ${to}/`);
    });
    expect(wrong).toEqual([]);
  });

  test('has no subfolder outside the second table, and none in it that does not exist', () => {
    const inCode: Record<string, Set<string>> = {};
    for (const [folder, room] of code.map(roomOf))
      if (room !== undefined) (inCode[folder] ??= new Set()).add(room);
    const listed = Object.entries(ROOMS).map(([folder, rooms]) => [folder, rooms.toSorted()]);
    const found = Object.entries(inCode).map(([folder, rooms]) => [folder, [...rooms].toSorted()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });

  test('imports only downwards inside a folder, too', () => {
    const wrong = code.flatMap((file) => {
      const [folder, room] = roomOf(file);
      const order = ROOMS[folder] ?? [];
      return importsOf(file)
        .map(roomOf)
        .filter(([other, to]) => other === folder && room !== undefined && to !== undefined)
        .filter(([, to = '']) => order.indexOf(to) < order.indexOf(room ?? ''))
        .map(([, to]) => `${relative(root, file)} imports ${folder}/${to}/`);
    });
    expect(wrong).toEqual([]);
  });

  test('has no import circles, not even of types', () => {
    const inCircles = circles(new Map(code.map((file) => [file, importsOf(file)])));
    expect(inCircles.map((circle) => circle.map((file) => relative(root, file)))).toEqual([]);
  });

  test('would see an import circle', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(circles(imports)).toEqual([['b', 'c', 'b']]);
  });

  test('opens outbound sockets only in net/ and client/', () => {
    const wrong = code.filter((file) => {
      if (['net', 'client', 'sim', 'store'].includes(folderOf(file))) return false;
      return /from '(undici|node:net|node:tls|node:dgram|node:http2)'|\bglobalThis\.fetch\b/.test(read(file));
    });
    expect(wrong.map((file) => relative(root, file))).toEqual([]);
  });

  test('joins no signal with a timeout that nobody holds: the garbage collector of Node 20 takes it (core/deadline.ts)', () => {
    const wrong = code.filter((file) => /AbortSignal\.any\([^;]*?AbortSignal\.timeout/.test(read(file)));
    expect(wrong.map((file) => relative(root, file))).toEqual([]);
  });

  test('exports no name twice across folders, so that a name can be found by searching for it', () => {
    const places: Record<string, Set<string>> = {};
    // The client mirrors the contracts under their own names, and every command is called `command`.
    for (const file of code.filter((path) => folderOf(path) !== 'client'))
      for (const [, name = ''] of read(file).matchAll(EXPORTED_NAME)) {
        if (name !== 'command') (places[name] ??= new Set()).add(dirname(relative(source, file)));
      }
    const twice = Object.entries(places).filter(([, folders]) => folders.size > 1);
    expect(twice.map(([name, folders]) => `${name}: ${[...folders].join(', ')}`)).toEqual([]);
  });

  test('names files in kebab-case', () => {
    const wrong = files.filter(
      (file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/.test(file.split(sep).at(-1) ?? ''),
    );
    expect(wrong.map((file) => relative(root, file))).toEqual([]);
  });

  test('keeps a test beside the one file that it tests, and every other test in tests/<surface>/', () => {
    const strays = files
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) => !existsSync(file.replace(/\.test\.ts$/, '.ts')));
    expect(strays.map((file) => relative(root, file))).toEqual([]);
    const loose = readdirSync(join(root, 'tests')).filter((name) => name.includes('.'));
    expect(loose).toEqual([]);
  });

  test('keeps helpers of tests in tests/support/, and no test there', () => {
    // Programs that other people's suites start have their own folders.
    const programs = ['clients', 'conformance', 'support', 'types'];
    const inTests = walk(join(root, 'tests')).map((file) => relative(join(root, 'tests'), file).split(sep));
    const helpers = inTests.filter(
      ([folder = '', ...rest]) => !programs.includes(folder) && !rest.at(-1)?.endsWith('.test.ts'),
    );
    expect(helpers).toEqual([]);
    const tests = inTests.filter(
      ([folder, ...rest]) => folder === 'support' && rest.at(-1)?.includes('.test.'),
    );
    expect(tests).toEqual([]);
  });

  test('lets a test beside its source import helpers from tests/support/ only', () => {
    const wrong = files
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) =>
        importsOf(file).some(
          (path) => !path.startsWith(source + sep) && !path.startsWith(join(root, 'tests/support') + sep),
        ),
      );
    expect(wrong.map((file) => relative(root, file))).toEqual([]);
  });

  test('holds no machine paths and no registry addresses', () => {
    const wrong = files.filter(
      (file) => /\/work\/|\/root\/|registry\.npmjs/.test(read(file)) && !file.endsWith('tidy.test.ts'),
    );
    expect(wrong.map((file) => relative(root, file))).toEqual([]);
  });
});

/** The rows `| folder, folder | folder, folder |` below the heading. */
function layersIn(page: string): Record<string, string[]> {
  const table = page.split('\n## Layers\n')[1]?.split('\n| inside |')[0] ?? '';
  const rows = [...table.matchAll(/^\| ([a-z, .]+) \| ([a-z, *–]+) \|$/gm)].filter(
    ([, from]) => from !== 'folder',
  );
  return Object.fromEntries(
    rows.flatMap(([, from = '', to = '']) =>
      from.split(', ').map((folder) => [folder, to === '–' ? [] : to.split(', ')]),
    ),
  );
}

/** The rows `| folder | subfolder, subfolder |` of the second table. */
function roomsIn(text: string): Record<string, string[]> {
  const table = text.split('\n| inside |')[1]?.split('\n\n')[0] ?? '';
  return Object.fromEntries(
    [...table.matchAll(/^\| ([a-z]+) \| ([a-z, ]+) \|$/gm)].map(([, from = '', to = '']) => [
      from,
      to.split(', '),
    ]),
  );
}

/** The folder and the subfolder of a file. */
function roomOf(file: string): [folder: string, room: string | undefined] {
  const parts = relative(source, file).split(sep);
  return [folderOf(file), parts.length > 2 ? parts[1] : undefined];
}

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

function folderOf(file: string): string {
  const [first, second] = relative(source, file).split(sep);
  return second === undefined ? '.' : (first ?? '.');
}

function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    resolve(dirname(file), match[1] ?? ''),
  );
}

/** Each circle once, as the way around it. Depth first; a file that was left behind is part of none that is still to be found. */
function circles(imports: Map<string, string[]>): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string, way: string[]): void => {
    if (way.includes(file)) found.push([...way.slice(way.indexOf(file)), file]);
    if (way.includes(file) || done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}
