import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { workerFile } from '../core/worker-file.ts';
import { createPool, type ReadingPool } from './reading-pool.ts';
import { OUT_OF_MEMORY, type PdfAnswer, type PdfWork } from './serve-pdf.ts';
import { restore, type Task, type Thread, type ThreadOptions } from './thread.ts';

export interface PdfOptions {
  timeoutMs?: number;
  memoryMb?: number;
  /** How long a process waits for the next PDF. */
  idleMs?: number;
}

/**
 * Reads PDFs in processes of their own. A small file can unfold to a gigabyte of buffers, which the limits of a thread do not see; a
 * process that grows too large, or takes too long, is ended with its PDF.
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
  let task: Task | undefined;
  let [isReady, isLost] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const stop = async (reason: HeadgateError): Promise<void> => {
    if (isLost) return;
    isLost = true;
    clearTimeout(timer);
    child.kill('SIGKILL');
    task?.settle(reason);
    task = undefined;
    options.onLost(thread);
  };
  const after = (ms: number, message: OwnText): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void stop(new HeadgateError('extract_failed', message)), ms).unref();
  };
  const send = ({ page }: Task): void => {
    child.send({ bytes: page.bytes, url: page.url } satisfies PdfWork, (cause) => {
      if (cause !== null) void stop(new HeadgateError('extract_failed', ENDED, { cause }));
    });
    after(options.timeoutMs, own`The PDF could not be read within ${options.timeoutMs} ms.`);
  };
  const thread: Thread = {
    task: () => task,
    stop,
    run: (next) => {
      task = next;
      hold(child, true);
      if (isReady) send(next);
    },
  };

  after(LIMITS.extractStartMs, own`The reader of PDFs did not start.`);
  hold(child, false);
  child.on('error', (cause) => void stop(new HeadgateError('extract_failed', NOT_STARTED, { cause })));
  child.on('exit', (code) => void stop(endedWith(code, options.memoryMb)));
  child.on('message', ({ answer, isLast }: PdfAnswer) => {
    if ('ready' in answer) {
      isReady = true;
      if (task !== undefined) send(task);
      return;
    }
    const done = task;
    task = undefined;
    hold(child, false);
    after(options.idleMs, own`The reader of PDFs has nothing to do.`);
    done?.settle('result' in answer ? answer.result : restore(answer.failure));
    if (isLast) void stop(new HeadgateError('extract_failed', ENDED));
    else options.onFree();
  });
  return thread;
}

/** The process gets nothing of our environment, in which there are keys. */
function start(memoryMb: number): ChildProcess {
  const { path, execArgv } = entry();
  return fork(path, [String(memoryMb)], {
    execArgv: [...execArgv, `--max-old-space-size=${memoryMb}`],
    env: Object.fromEntries(NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** What Node itself needs: on Windows its system folder, inside Electron the word that it is Node. */
const NEEDED = ['SystemRoot', 'ELECTRON_RUN_AS_NODE', 'NODE_PATH'];

function entry(): { path: string; execArgv: string[] } {
  const file = workerFile('pdf-reader-worker');
  if (file.protocol === 'file:') return { path: fileURLToPath(file), execArgv: [] };
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const source = new URL('../pdf-reader-worker.ts', import.meta.url);
  return { path: fileURLToPath(source), execArgv: ['--import', pathToFileURL(tsx).href] };
}

/** A process that waits does not keep ours running. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const deed = isHeld ? 'ref' : 'unref';
  child[deed]();
  child.channel?.[deed]();
}

const ENDED = 'The reader of this PDF ended early.';
const NOT_STARTED = 'The reader of PDFs could not be started.';

const endedWith = (code: number | null, memoryMb: number): HeadgateError =>
  new HeadgateError(
    'extract_failed',
    code === OUT_OF_MEMORY
      ? own`The PDF needs more than the ${memoryMb} MB of memory that a PDF may have.`
      : ENDED,
    code === OUT_OF_MEMORY ? { remediation: 'Look for the same document as a web page, or in parts.' } : {},
  );
