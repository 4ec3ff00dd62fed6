import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Extract } from './libraries.ts';

/** Reads a page as JSON per line and answers with its text as JSON. */
const SCRIPT = `
import json, logging, sys
import trafilatura
comments = sys.argv[1] == "comments"
logging.disable(logging.CRITICAL)
for line in sys.stdin:
    page = json.loads(line)
    try:
        text = trafilatura.extract(page["html"], url=page["url"] or None, include_comments=comments)
    except Exception:
        text = None
    print(json.dumps(text or ""), flush=True)
`;

/** trafilatura in the Python that is on the machine (or `PYTHON`); it must be able to import it. */
export async function startTrafilatura(
  withComments: boolean,
): Promise<{ extract: Extract; stop(): Promise<void> }> {
  const { ask, stop } = await startPython(SCRIPT, withComments ? 'comments' : 'plain');
  return { extract: async (html, url) => (await ask({ html, url })) as string, stop };
}

/** A script that reads JSON per line and answers each with a line of JSON. */
export async function startPython(
  script: string,
  ...args: string[]
): Promise<{ ask(question: object): Promise<unknown>; stop(): Promise<void> }> {
  const python = spawn(process.env['PYTHON'] ?? 'python3', ['-W', 'ignore', '-c', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(python, 'spawn');
  const lines = createInterface({ input: python.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      python.stdin.write(`${JSON.stringify(question)}\n`);
      const { done, value } = await lines.next();
      if (done === true) throw new Error('trafilatura ended; see above. Is it installed for this Python?');
      return JSON.parse(value) as unknown;
    },
    stop: () => stop(python),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null) await once(child, 'exit');
}
