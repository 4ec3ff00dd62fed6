import { join } from 'node:path';
import { addProblem, type AddedReport, countAdded, emptyReport } from './added-report.ts';
import type { LibraryDocument } from '../document.ts';
import { installedPackages, packageDocuments } from './node-modules.ts';
import { allowedPath, isDocument, readFileDocument } from './read-file.ts';
import { walkFiles } from './walk.ts';
import type { AddReport } from '../writer.ts';

/** What to read from the disk. */
export type Intake =
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string }
  | { kind: 'node_modules'; project: string };

export interface IngestReport extends AddedReport {
  /** `name@version` of every installed package, when that was requested. */
  packages?: string[];
}

/** The target of documents: a library, or an external index. */
export interface Sink {
  add(documents: LibraryDocument[], now: number): AddReport | Promise<AddReport>;
}

export interface IngestOptions {
  roots?: string[] | undefined;
  now(): number;
  isCancelled(): boolean;
  progress(done: number, total: number | undefined, message: string): void;
}

/** The batch size. A batch is on disk before the next one is read. */
const BATCH_DOCUMENTS = 2_000;
const BATCH_CHARS = 16 * 1024 * 1024;
const PROGRESS_EVERY = 25;

/** Reads files and adds them in batches. A failing file is reported, and the rest is added. */
export async function ingest(intake: Intake, sink: Sink, options: IngestOptions): Promise<IngestReport> {
  const report: IngestReport = emptyReport();
  const problem = (path: string, thrown: unknown) => addProblem(report, path, thrown);
  let batch: LibraryDocument[] = [];
  let chars = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    countAdded(report, await sink.add(batch, options.now()));
    batch = [];
    chars = 0;
  };
  for await (const document of documentsOf(intake, options, problem, report)) {
    batch.push(document);
    chars += document.content.length;
    if (batch.length >= BATCH_DOCUMENTS || chars >= BATCH_CHARS) await flush();
    // Lets the thread receive a cancellation.
    await new Promise((resolve) => setImmediate(resolve));
    if (!options.isCancelled()) continue;
    report.cancelled = true;
    break;
  }
  await flush();
  return report;
}

type Report = (path: string, thrown: unknown) => void;

function documentsOf(
  intake: Intake,
  options: IngestOptions,
  problem: Report,
  report: IngestReport,
): AsyncGenerator<LibraryDocument> {
  if (intake.kind === 'file') return oneFile(intake.path, options, problem);
  if (intake.kind === 'folder') return folderFiles(intake.path, options, problem);
  return packages(intake.project, options, problem, report);
}

async function* oneFile(
  path: string,
  { roots }: IngestOptions,
  problem: Report,
): AsyncGenerator<LibraryDocument> {
  try {
    yield await readFileDocument(allowedPath(path, roots));
  } catch (thrown) {
    problem(path, thrown);
  }
}

async function* folderFiles(
  folder: string,
  options: IngestOptions,
  problem: Report,
): AsyncGenerator<LibraryDocument> {
  const { roots } = options;
  const enters = (name: string) => name !== 'node_modules' && !name.startsWith('.');
  let done = 0;
  for (const path of walkFiles(folder, { roots, problem, enters, wants: isDocument })) {
    yield* oneFile(path, options, problem);
    done += 1;
    if (done % PROGRESS_EVERY === 0) options.progress(done, undefined, path);
  }
  options.progress(done, done, folder);
}

async function* packages(
  project: string,
  options: IngestOptions,
  problem: Report,
  report: IngestReport,
): AsyncGenerator<LibraryDocument> {
  const { roots } = options;
  try {
    allowedPath(join(project, 'node_modules'), roots);
  } catch (thrown) {
    problem(join(project, 'node_modules'), thrown);
    return;
  }
  const installed = installedPackages(project);
  report.packages = installed.map(({ name, version }) => `${name}@${version}`);
  for (const [at, one] of installed.entries()) {
    options.progress(at, installed.length, `${one.name} ${one.version}`);
    yield* packageDocuments(one, { roots, problem });
  }
  options.progress(installed.length, installed.length, 'done');
}
