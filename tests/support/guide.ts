import { spawn } from 'node:child_process';

/** One block of a page that something is done with. */
export interface GuideBlock {
  section: string;
  /** The program that the block needs beyond a shell, such as `nginx`. */
  needs: string | undefined;
  /** `sh` is run; any other language is written to `file`. */
  file: string | undefined;
  text: string;
  /** Lines that are shown below the block; `…` stands for anything. */
  shown: string[];
}

/** The blocks of a page in order: `sh` or `sh nginx`, a file such as `toml headgate.toml`, and `text` with what a command prints. */
export function blocksOfGuide(page: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  let section = '';
  for (const match of page.matchAll(/^## (.+)$|^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)) {
    const [, heading, language, name, text = ''] = match;
    if (heading !== undefined) section = heading;
    else if (language === 'text') {
      const last = blocks.at(-1);
      if (last?.section === section && last.file === undefined) last.shown = text.trim().split('\n');
    } else if (language === 'sh' || name !== undefined) {
      const isRun = language === 'sh';
      const needs = isRun ? name : undefined;
      blocks.push({ section, needs, file: isRun ? undefined : name, text, shown: [] });
    }
  }
  return blocks;
}

export interface RunOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
}

/**
 * Runs the blocks in one shell, as somebody who pastes one after the other, and returns what each printed. The first command that
 * fails ends it with what was printed. What the blocks leave running is ended with the shell.
 */
export async function runGuide(
  blocks: readonly GuideBlock[],
  { cwd, env, timeoutMs }: RunOptions,
): Promise<string[]> {
  const script = blocks.map(({ text, file }, index) => {
    const done = file === undefined ? text : `cat > ${file} <<'END_OF_FILE'\n${text}END_OF_FILE\n`;
    return `printf '\\036%s\\n' ${index}\n${done}`;
  });
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  const stop = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing of it runs any more.
    }
  };
  const timer = setTimeout(stop, timeoutMs);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  stop();
  const outputs = printed.split(/\u{1e}\d+\n/u).slice(1);
  if (code === 0) return outputs;
  const at = blocks[outputs.length - 1];
  throw new Error(
    `The guide ends with ${code} in "${at?.section}":\n${at?.text}\n--- printed:\n${outputs.at(-1)}`,
  );
}

/** The lines that a page shows and a command did not print. */
export const notPrinted = ({ shown }: GuideBlock, output: string): string[] =>
  shown.filter((line) => {
    const pattern = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return !new RegExp(`^${pattern.join('.*')}$`, 'm').test(output);
  });
