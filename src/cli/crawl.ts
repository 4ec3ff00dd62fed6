import type { z } from 'zod';
import { createClient, type Client } from '../client/client.ts';
import type { CrawlJob } from '../client/types.ts';
import { crawlJobContract, type CrawlJobInput, type CrawlOutput } from '../contract/crawl.ts';
import { switchFlag, valueFlag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { joined, named, own, safe } from '../core/own-text.ts';
import { clip, plural } from '../core/text.ts';
import { crawl } from '../operations/crawl/crawl.ts';
import { concerns } from '../toolsets/concerns.ts';
import { inlineUrl, lineEscaper, lineText } from '../toolsets/markdown.ts';
import type { Command, CommandContext } from './command.ts';
import { flagsOf, inputOf } from './flags.ts';
import { operationCommand } from './operation-command.ts';

const here = operationCommand({
  operation: crawl,
  positional: 'url',
  render: (output: CrawlOutput) =>
    joined(
      [
        ...output.results.map(
          (page) => safe`<!-- ${inlineUrl(page.url)} -->\n\n${pageText(page.raw_content)}`,
        ),
        own`${plural(output.results.length, 'page')}${output.cursor === undefined ? '' : '; there are more: raise --limit'}`,
        ...output.skipped.map((one) => safe`! ${inlineUrl(one.url)}: ${one.reason}`),
        ...concerns(output).map((concern) => own`! ${concern}`),
      ],
      '\n\n---\n\n',
    ),
});

/** Keeps the lines of a page, but escapes those that look like a page separator or a note. */
const pageText = lineEscaper('headgate:|-{3,}\\s*$|!\\s|\\d+ pages?\\b');

const jobFlags = flagsOf(crawlJobContract.input);
const isKnownHere = (name: string): boolean => here.flags.some((flag) => flag.name === name);

/** Crawls here and now, or with `--gateway` in the background, on all gateways of a store. */
export const command: Command = {
  ...here,
  usage: 'URL [flags] | URL --gateway URL | --gateway URL --list | --state ID | --results ID | --cancel ID',
  flags: [
    ...here.flags,
    valueFlag('gateway', 'URL', 'Crawl in the background on this gateway; its key is in HEADGATE_API_KEY.'),
    ...jobFlags.filter(({ name }) => !isKnownHere(name)),
    switchFlag('list', 'With --gateway: list the crawls.'),
    valueFlag('state', 'ID', 'With --gateway: how far a crawl is.'),
    valueFlag('results', 'ID', 'With --gateway: print what was read so far, a line of JSON for each page.'),
    valueFlag('cancel', 'ID', 'With --gateway: stop a crawl; what was read stays.'),
  ],
  run: async (context) => {
    const { args, env, signal } = context;
    const baseUrl = args.value('gateway');
    if (baseUrl !== undefined) {
      const apiKey = env['HEADGATE_API_KEY'];
      const web = createClient({ baseUrl, ...(apiKey === undefined ? {} : { apiKey }) });
      return crawlThere(web, context, { signal });
    }
    const given = ['list', 'state', 'results', 'cancel', 'library'].find(
      (name) => args.isOn(name) === true || args.value(name) !== undefined,
    );
    if (given !== undefined)
      throw new HeadgateError('invalid_request', own`--${named(given)} is for crawls in the background.`, {
        remediation: 'Name the gateway that runs them with --gateway URL.',
      });
    return here.run(context);
  },
};

async function crawlThere(
  web: Client,
  context: CommandContext,
  options: { signal: AbortSignal },
): Promise<number> {
  const { args, print } = context;
  const results = args.value('results');
  if (results !== undefined) {
    for await (const line of web.crawlResults(results, 0, options)) print(`${JSON.stringify(line)}\n`);
    return 0;
  }
  const [state, cancelled] = [args.value('state'), args.value('cancel')];
  const jobs =
    args.isOn('list') === true
      ? (await web.crawls(options)).crawls
      : [
          await (state !== undefined
            ? web.crawlState(state, options)
            : cancelled !== undefined
              ? web.cancelCrawl(cancelled, options)
              : web.startCrawl(jobInputOf(context), options)),
        ];
  context.printResult(jobs, () => jobs.map((job) => `${lineOf(job)}\n`).join(''));
  return 0;
}

/** The input of a crawl in the background; flags that it does not have are refused. */
function jobInputOf({ args }: CommandContext): CrawlJobInput {
  const all = flagsOf(crawl.contract.input as z.ZodObject);
  const asked = Object.keys(inputOf(args, all));
  const other = asked.find((field) => !jobFlags.some((flag) => flag.field === field));
  if (other !== undefined)
    throw new HeadgateError(
      'invalid_request',
      own`--${named(other.replaceAll('_', '-'))} is not for crawls in the background.`,
      { remediation: 'Leave it out, or crawl without --gateway.' },
    );
  const url = args.words.join(' ');
  return { ...(url === '' ? {} : { url }), ...inputOf(args, jobFlags) } as CrawlJobInput;
}

const lineOf = (job: CrawlJob): string =>
  lineText(
    `${job.crawl_id}  ${job.state.padEnd(9)}  ${job.pages} of ${job.limit} pages, ${job.skipped} skipped, ${job.waiting} waiting  ${clip(job.url, URL_CHARS)}${job.error === undefined ? '' : `  ${job.error}`}`,
  );

const URL_CHARS = 80;
