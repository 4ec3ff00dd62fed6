import type { z } from 'zod';
import { switchFlag, valueFlag, wholeNumber, type Flag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import type { SafeText } from '../core/text.ts';
import type { Operation } from '../operations/operation.ts';
import { createCall, perform } from '../operations/perform.ts';
import { plan } from '../operations/plan.ts';
import type { Command } from './command.ts';
import { flagsOf, inputOf } from './flags.ts';

/** Creates the command of an operation: words fill one field, flags fill the others. */
export function operationCommand<Input, Output>(options: {
  operation: Operation<Input, Output>;
  /** The field that the positional arguments fill. */
  positional: string;
  render(output: Output, isTerminal: boolean): SafeText;
  /** What is asked for when no flag says otherwise. */
  defaults?(input: Record<string, unknown>): Record<string, unknown>;
}): Command & { flags: readonly Flag[] } {
  const { operation, positional } = options;
  const flags = flagsOf(operation.contract.input as z.ZodObject);
  return {
    usage: `${positional === 'url' ? 'URL' : '"QUERY"'} [flags]`,
    flags: [
      ...flags,
      switchFlag('dry-run', 'Print the planned requests and their cost.'),
      valueFlag('max-credits', 'N', 'The most credits that this call may cost.'),
    ],
    words: Number.POSITIVE_INFINITY,
    run: async ({ args, print, printResult, isTerminal, signal, open }) => {
      const given = inputOf(args, flags);
      const input = { ...options.defaults?.(given), ...given };
      if (args.words.length > 0) input[positional] = args.words.join(' ');
      if (input[positional] === undefined) {
        throw new HeadgateError('invalid_request', own`The ${named(positional)} is missing.`, {
          remediation: 'Add --help for the usage.',
        });
      }
      const creditsMax = wholeNumber(args, 'max-credits', { min: 0, max: LIMITS.creditsPerCallMax });
      const opened = await open();
      const call = createCall(opened.services, {
        signal,
        surface: 'cli',
        ...(creditsMax === undefined ? {} : { creditsMax }),
      });
      if (args.isOn('dry-run') === true) {
        print(
          `${JSON.stringify(await plan(operation, input, { call, services: opened.services }), null, 2)}\n`,
        );
        return 0;
      }
      const output = await perform(operation, input, { call, services: opened.services });
      printResult(output, () => `${options.render(output, isTerminal)}\n`);
      return 0;
    },
  };
}
