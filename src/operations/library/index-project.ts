import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Services } from '../services.ts';
import type { LibraryJob } from './jobs.ts';

/** The record of an indexed project. */
interface ProjectNote {
  mark: string;
  /** `name@version` of every installed package. */
  packages: string[];
}

/**
 * Indexes the documentation of a project's packages in the background, unless nothing has changed, and
 * removes versions that no project uses. Returns undefined if there is nothing to do. Records are in `folder`.
 */
export async function indexProject(
  project: string,
  folder: string,
  services: Services,
): Promise<LibraryJob | undefined> {
  const modules = join(project, 'node_modules');
  const mark = markOf(modules);
  if (mark === undefined) return undefined;
  const notes = createNotes(folder, project);
  const { library, libraryJobs } = services;
  if (notes.own()?.mark === mark && (await library.stats()).documents > 0) return undefined;
  return libraryJobs.start({ source: modules }, async (control) => {
    const report = await library.addNodeModules(project, control);
    if (report.cancelled) return report;
    const packages = report.packages ?? [];
    const used = new Set([...packages, ...notes.others().flatMap((note) => note.packages)]);
    const gone = (notes.own()?.packages ?? []).filter((name) => !used.has(name));
    if (gone.length > 0) await library.remove({ urlPrefixes: gone.map((name) => `npm:${name}/`) });
    notes.write({ mark, packages });
    return report;
  });
}

/** Changes with every installation: npm rewrites its hidden lock file; others touch the folder. */
function markOf(modules: string): string | undefined {
  if (!existsSync(modules)) return undefined;
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return `folder ${statSync(modules).mtimeMs}`;
  return createHash('sha256').update(readFileSync(lock)).digest('hex');
}

const NOTE = /^project-[0-9a-f]{16}\.json$/;

function createNotes(folder: string, project: string) {
  const name = `project-${createHash('sha256').update(project).digest('hex').slice(0, 16)}.json`;
  const read = (file: string): ProjectNote | undefined => {
    try {
      return JSON.parse(readFileSync(join(folder, file), 'utf8')) as ProjectNote;
    } catch {
      // A missing or broken record only costs another scan.
      return undefined;
    }
  };
  return {
    own: () => read(name),
    others: () =>
      (existsSync(folder) ? readdirSync(folder) : [])
        .filter((file) => NOTE.test(file) && file !== name)
        .flatMap((file) => read(file) ?? []),
    write: (note: ProjectNote) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, name), JSON.stringify(note), { mode: 0o600 });
    },
  };
}
