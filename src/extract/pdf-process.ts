import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { workerFile } from '../core/worker-file.ts';
import { createPool, type ReadingPool } from './reading-pool.ts';
import { OUT_OF_MEMORY, type PdfAnswer, type PdfWork } from './serve-pdf.ts';
import { createReader, endedEarly, type Thread, type ThreadOptions } from './thread.ts';

export interface PdfOptions {
  timeoutMs?: number;
  memoryMb?: number;
  /** How long an idle process is kept. */
  idleMs?: number;
}

/**
 * Creates a pool of processes that read PDFs. A small file can expand to a gigabyte of buffers, which the
 * limits of a thread do not cover; a process that grows too large or takes too long is ended, and the pages
 * that it has read until then are the answer.
 */
export const createPdfPool = (options: PdfOptions = {}): ReadingPool =>
  createPool(LIMITS.pdfProcessesMax, (events) =>
    startPdfProcess({
      timeoutMs: options.timeoutMs ?? LIMITS.extractTimeoutMs,
      memoryMb: options.memoryMb ?? LIMITS.pdfMemoryMb,
      idleMs: options.idleMs ?? LIMITS.pdfIdleMs,
      ...events,
    }),
  );

function startPdfProcess(options: ThreadOptions & { idleMs: number }): Thread {
  const child = start(options.memoryMb);
  const readMs = options.timeoutMs * READ_SHARE;
  const { thread, receive } = createReader(
    {
      reads: 'PDF',
      send: ({ page }) =>
        child.send({ bytes: page.bytes, url: page.url, readMs } satisfies PdfWork, (cause) => {
          if (cause !== null) void thread.stop(endedEarly('PDF', cause));
        }),
      hold: (isHeld) => hold(child, isHeld),
      end: () => child.kill('SIGKILL'),
      idleMs: options.idleMs,
    },
    options,
  );
  child.on('error', (cause) => void thread.stop(new HeadgateError('extract_failed', NOT_STARTED, { cause })));
  child.on('exit', (code) => void thread.stop(endedWith(code, options.memoryMb)));
  child.on('message', ({ answer, isLast }: PdfAnswer) => receive(answer, isLast));
  return thread;
}

/** The share of its time in which a PDF is read; the rest is for putting the pages together and sending them. */
const READ_SHARE = 0.8;

/** The process does not inherit the environment, because it contains keys. */
function start(memoryMb: number): ChildProcess {
  const { path, execArgv } = entry();
  return fork(path, [String(memoryMb)], {
    execArgv: [...execArgv, `--max-old-space-size=${memoryMb}`],
    env: Object.fromEntries(NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** The variables that Node itself needs, on Windows and inside Electron. */
const NEEDED = ['SystemRoot', 'ELECTRON_RUN_AS_NODE', 'NODE_PATH'];

function entry(): { path: string; execArgv: string[] } {
  const file = workerFile('pdf-reader-worker');
  if (file.protocol === 'file:') return { path: fileURLToPath(file), execArgv: [] };
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const source = new URL('../pdf-reader-worker.ts', import.meta.url);
  return { path: fileURLToPath(source), execArgv: ['--import', pathToFileURL(tsx).href] };
}

/** An idle process does not keep the parent running. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const action = isHeld ? 'ref' : 'unref';
  child[action]();
  child.channel?.[action]();
}

const NOT_STARTED = 'The reader of PDFs could not be started.';

const endedWith = (code: number | null, memoryMb: number): HeadgateError =>
  code === OUT_OF_MEMORY
    ? new HeadgateError(
        'extract_failed',
        own`The PDF needs more than the ${memoryMb} MB of memory that a PDF may have.`,
        { remediation: 'Look for the same document as a web page, or in parts.' },
      )
    : endedEarly('PDF');
