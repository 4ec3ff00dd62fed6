import { switchFlag, valueFlag } from '../core/command-line.ts';
import type { Ctx } from '../routing/services.ts';
import type { z } from 'zod';
import type { ResearchOutput, ResearchSession } from '../contract/research.ts';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { listed, named, own } from '../core/own-text.ts';
import { cleanText, clip, oneLine, plural, type OwnText } from '../core/text.ts';
import { lineText } from '../toolsets/markdown.ts';
import { createCall, perform } from '../operations/perform.ts';
import { renderHtml } from '../research/report/html.ts';
import { follow, research, researchSession } from '../research/research.ts';
import type { Services } from '../operations/services.ts';
import type { Command, CommandContext } from './command.ts';
import { flagsOf, inputOf } from './flags.ts';
import { createStyle } from './terminal.ts';

const flags = flagsOf(research.contract.input as z.ZodObject).filter(
  (flag) => flag.field !== 'query' && flag.field !== 'background',
);
const FORMATS = ['markdown', 'html', 'json'];
const ACTIONS = ['report', 'resume', 'delete'] as const;
/** The call may outlive the research by this much, so that a report at the deadline still arrives. */
const GRACE_MS = 30_000;
const TIMEOUT_SECONDS = 300;

/** Researches a question and prints the report; on a terminal it shows progress. */
export const command: Command = {
  usage: '"QUESTION" [flags] | --list | --report ID | --resume ID | --delete ID',
  flags: [
    ...flags,
    valueFlag('format', FORMATS.join('|'), 'How the report is printed.'),
    switchFlag('list', 'List the stored sessions.'),
    valueFlag('report', 'ID', 'Print the report of a session.'),
    valueFlag('resume', 'ID', 'Resume an interrupted session.'),
    valueFlag('delete', 'ID', 'Delete a session.'),
  ],
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const { args, open } = context;
    const input = inputOf(args, flags);
    const format = args.value('format') ?? (args.isOn('json') === true ? 'json' : 'markdown');
    if (!FORMATS.includes(format))
      throw new HeadgateError('invalid_request', own`--format: must be one of ${named(FORMATS.join(', '))}.`);
    const opened = await open();
    const call = callFor(context, Number(input['timeout'] ?? TIMEOUT_SECONDS), opened.services);
    const action = ACTIONS.find((name) => args.value(name) !== undefined);
    if (args.isOn('list') === true) return await printList({ call, services: opened.services }, context);
    if (action !== undefined)
      return await manage(
        action,
        String(args.value(action)),
        format,
        { call, services: opened.services },
        context,
      );
    const query = args.words.join(' ');
    if (query === '')
      throw new HeadgateError('invalid_request', 'No question was given.', {
        remediation: 'Write the question after the command, in quotation marks.',
      });
    const output = await perform(research, { ...input, query }, { call, services: opened.services });
    return printReport(output, format, context);
  },
};

/** Creates a call that shows progress on one line of the terminal; a pipe gets only the report. */
function callFor({ signal, isTerminal, say }: CommandContext, seconds: number, services: Services): Call {
  const style = createStyle(isTerminal);
  const timeoutMs = seconds * 1_000 + GRACE_MS;
  const call = createCall(services, {
    signal,
    surface: 'cli',
    timeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : GRACE_MS,
  });
  const progress = ({ message = '' }: { message?: string }): void =>
    say(`\r\u001B[K${style('dim', clip(lineText(oneLine(message)), LINE_CHARS))}`);
  return isTerminal ? { ...call, progress } : call;
}

const LINE_CHARS = 78;

async function manage(
  action: (typeof ACTIONS)[number],
  id: string,
  format: string,
  ctx: Ctx<Services>,
  context: CommandContext,
): Promise<number> {
  const { session, report } = await perform(researchSession, { action, research_id: id }, ctx);
  if (action === 'delete') {
    context.say(`headgate: ${id} is deleted.\n`);
    return 0;
  }
  if (action === 'resume') return printReport(await follow(id, ctx), format, context);
  if (session === undefined || report === undefined)
    throw new HeadgateError('not_found', 'Research report not yet generated');
  return printReport({ session, report, warnings: [] }, format, context);
}

async function printList(ctx: Ctx<Services>, { print }: CommandContext): Promise<number> {
  const { sessions = [] } = await perform(researchSession, { action: 'list', limit: 100 }, ctx);
  for (const session of sessions)
    print(
      `${session.research_id}  ${session.status.padEnd(11)}  ${clip(session.original_query, LINE_CHARS)}\n`,
    );
  return 0;
}

function printReport({ session, report }: ResearchOutput, format: string, context: CommandContext): number {
  const { print, say, isTerminal } = context;
  if (isTerminal) say('\r\u001B[K');
  if (report === null) throw new HeadgateError('not_found', 'Research report not yet generated');
  if (format === 'json') print(`${JSON.stringify(report, null, 2)}\n`);
  else print(format === 'html' ? renderHtml(report) : cleanText(report.markdown));
  if (isTerminal) say(`${createStyle(isTerminal)('dim', footer(session))}\n`);
  return report.outcome === 'failed' ? 1 : 0;
}

const footer = (session: ResearchSession): OwnText =>
  listed(
    [
      named(session.research_id),
      plural(session.source_count, 'source'),
      plural(session.finding_count, 'finding'),
      plural(session.credits, 'credit'),
      named(`${(session.elapsed_ms / 1_000).toFixed(1)} s`),
    ],
    ' · ',
  );
