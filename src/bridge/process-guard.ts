import { Writable } from 'node:stream';
import type { Logger } from '../core/log.ts';

/**
 * Protects the process from the tools it serves: their output goes to stderr, because stdout belongs to the
 * protocol, and errors in the background are logged instead of ending the server. Returns the real stdout,
 * and a function that undoes this.
 */
export function guardProcess(logger: Logger): { output: Writable; release(): void } {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => void write(chunk, encoding, (error) => done(error)),
  });
  stdout.write = stderr.write.bind(stderr);
  const onRejection = (error: unknown) => logger.error('tool_rejection_in_background', { error });
  const onException = (error: unknown) => logger.error('tool_exception_in_background', { error });
  const onBrokenPipe = (error: Error) => output.destroy(error);
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  stdout.on('error', onBrokenPipe);
  return {
    output,
    release() {
      stdout.write = write;
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onException);
      stdout.off('error', onBrokenPipe);
    },
  };
}
