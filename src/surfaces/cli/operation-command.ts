import type { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { Operation } from '../../operations/operation.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { plan } from '../../operations/plan.ts';
import type { Command } from './command.ts';
import { describeFlags, flagsOf, readArgs } from './flags.ts';

const SWITCHES = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  'dry-run': { type: 'boolean' },
  'max-credits': { type: 'string' },
} as const;

/** A command for an operation: positionals fill one field, flags the others, `--json` prints the whole answer. */
export function operationCommand<Input, Output>(options: {
  name: string;
  summary: string;
  operation: Operation<Input, Output>;
  /** The field that the words after the command fill. */
  positional: string;
  render(output: Output, isTerminal: boolean): string;
}): Command {
  const { name, summary, operation, positional } = options;
  const flags = flagsOf(operation.contract.input as z.ZodObject);
  const usage = `headgate ${name} "${positional}" [flags] [--json] [--dry-run] [--max-credits N]`;
  return {
    name,
    summary,
    usage,
    run: async ({ args, print, isTerminal, signal, open }) => {
      const { input, values, positionals } = readArgs(args, flags, SWITCHES);
      if (values['help'] === true) {
        print(
          `${summary}\n\n  ${usage}\n\n${describeFlags(flags.filter((flag) => flag.field !== positional))}\n`,
        );
        return 0;
      }
      if (positionals.length > 0) input[positional] = positionals.join(' ');
      if (input[positional] === undefined) {
        throw new HeadgateError('invalid_request', own`The ${named(positional)} is missing.`, {
          remediation: own`Usage: ${named(usage)}`,
        });
      }
      const opened = await open();
      try {
        const call = createCall(opened.services, {
          signal,
          ...budget(values['max-credits'] as string | undefined),
        });
        if (values['dry-run'] === true) {
          print(`${JSON.stringify(await plan(operation, input, call, opened.services), null, 2)}\n`);
          return 0;
        }
        const output = await perform(operation, input, call, opened.services);
        print(
          values['json'] === true
            ? `${JSON.stringify(output, null, 2)}\n`
            : `${options.render(output, isTerminal)}\n`,
        );
        return 0;
      } finally {
        await opened.close();
      }
    },
  };
}

/** `--max-credits 2`: the most this call may cost. */
function budget(text: string | undefined): { creditsMax?: number } {
  if (text === undefined) return {};
  const credits = Number(text);
  if (Number.isSafeInteger(credits) && credits >= 0) return { creditsMax: credits };
  throw new HeadgateError(
    'invalid_request',
    own`--max-credits: "${named(text)}" is not a number of credits.`,
  );
}
