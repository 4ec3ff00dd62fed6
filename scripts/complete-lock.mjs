// Completes package-lock.json so that `npm ci` accepts it on every platform: `node scripts/complete-lock.mjs [--check]`.
//
// `npm install` records an optional package of another platform only if it can reach that package. `npm ci` then refuses the lock file because
// the entry is missing. An entry needs no more than the version, which the parent pins, and the platform, which the name says: npm skips it
// where it does not fit, and fills in the rest where it does. Run this after every `npm install` that changes the lock file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const CPU = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'universal',
  'wasm32',
  'x64',
];

const file = join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = missingFrom(lock.packages);

if (process.argv.includes('--check')) {
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    process.stderr.write(
      `package-lock.json lacks ${missing.length} optional packages: ${names}.\nRun \`node scripts/complete-lock.mjs\`.\n`,
    );
    process.exit(1);
  }
} else {
  for (const { name, version, isDev } of missing) {
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(isDev && { dev: true }),
      optional: true,
    };
  }
  const { '': root, ...rest } = lock.packages;
  const sorted = Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = { '': root, ...Object.fromEntries(sorted) };
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
  process.stderr.write(`package-lock.json: ${missing.length} entries added.\n`);
}

/** Optional packages that a package in the lock file names and that have no entry anywhere on the way up. */
function missingFrom(packages) {
  const found = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(packages, path, name) || found.has(name)) continue;
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
        throw new Error(`${path} asks for ${name}@${version}: only exact versions can be completed.`);
      }
      found.set(name, { name, version, isDev: entry.dev === true });
    }
  }
  return [...found.values()];
}

function isLocked(packages, path, name) {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`] !== undefined) return true;
    if (base === '') return false;
  }
}

/** `@rollup/rollup-linux-arm64-musl` → linux, arm64, musl. */
function platformOf(name) {
  const words = name.replace(/^@[^/]*\//, '').split('-');
  const os = OS.find((one) => words.includes(one));
  const cpu = CPU.find((one) => words.includes(one));
  if (cpu === undefined)
    throw new Error(`${name} does not say its platform; add it to the lists in this script.`);
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu')) && os === 'linux'
      ? 'glibc'
      : undefined;
  return { cpu: [cpu], ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}
