import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** A program and its arguments, as MCP clients start a server. */
export interface LaunchCommand {
  command: string;
  args: string[];
  /** Variables that the client sets for it. */
  env?: Record<string, string>;
}

const NAME = 'headgate';

/**
 * The command that starts this installation again. `main` is the file that runs, `path` the PATH it was started with.
 *
 * - `headgate` when that name on the PATH leads to this file: a global install, or a clone after `npm i -g .`.
 * - `npx -y headgate` when npm installed this file from a registry, into its npx cache or a project.
 * - `node /path/to/main.cjs` otherwise. It works wherever the file is.
 */
export function launchCommand(main: string, path = ''): LaunchCommand {
  const file = realpathOr(main);
  if (path.split(delimiter).some((folder) => isInstalledIn(folder, file))) return { command: NAME, args: [] };
  if (isFromRegistry(file)) return { command: 'npx', args: ['-y', NAME] };
  return { command: 'node', args: [file] };
}

/** Whether `headgate` in this folder of the PATH is this file. npm and npx add `.bin` folders only while they run. */
function isInstalledIn(folder: string, file: string): boolean {
  if (folder === '' || basename(folder) === '.bin') return false;
  // On Windows npm writes a script beside its global folder instead of a link.
  return [join(folder, NAME), join(folder, 'node_modules', NAME, 'dist', basename(file))].some(
    (candidate) => existsSync(candidate) && realpathOr(candidate) === file,
  );
}

/** npm records where each package came from: a registry, a tarball or a folder. */
function isFromRegistry(file: string): boolean {
  const folder = dirname(dirname(file));
  const modules = dirname(folder);
  if (basename(folder) !== NAME || basename(modules) !== 'node_modules') return false;
  try {
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      packages?: Record<string, { resolved?: string }>;
    };
    return /^https?:/.test(lock.packages?.[`node_modules/${NAME}`]?.resolved ?? '');
  } catch {
    // Without the record, the path of the file is the command that always works.
    return false;
  }
}

function realpathOr(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
