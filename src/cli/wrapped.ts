import { spawn } from 'node:child_process';
import { HeadgateError } from '../core/errors.ts';
import { asked, own } from '../core/own-text.ts';
import { onAbort } from '../core/on-abort.ts';
import type { CommandContext } from './command.ts';

/** The program after `--`. */
export function programOf(words: string[], usage: string): [file: string, ...program: [string, ...string[]]] {
  const [file, program, ...rest] = words;
  if (file === undefined || program === undefined)
    throw new HeadgateError('invalid_request', 'Name a file and a program.', {
      remediation: own`Use ${asked(usage)}.`,
    });
  return [file, program, ...rest];
}

/** Runs a program with these variables, on this terminal. Resolves to its exit status. */
export async function runProgram(
  [program, ...args]: [string, ...string[]],
  variables: Record<string, string>,
  { env, signal }: Pick<CommandContext, 'env' | 'signal'>,
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env, ...variables } });
  const stopListening = onAbort(signal, () => child.kill('SIGTERM'));
  return new Promise<number>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(
        new HeadgateError('invalid_request', own`"${asked(program)}" cannot be run.`, {
          remediation: 'Check its name and that it may be executed.',
          cause,
        }),
      ),
    );
    child.on('close', (code, by) => resolve(code ?? (by === 'SIGINT' ? 130 : 143)));
  }).finally(stopListening);
}
