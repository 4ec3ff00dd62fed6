import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PORTS, valueFlag, wholeNumber } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { plural } from '../core/text.ts';
import { operations } from '../gateway/operations.ts';
import { workCrawlsUntil } from '../operations/crawl/work-crawls.ts';
import { addCrawlsToLibraryUntil } from '../operations/library/add-crawl.ts';
import { indexProject } from '../operations/library/index-project.ts';
import { setupLink } from '../gateway/console/setup-link.ts';
import { shellLine } from '../mcp/client-configs.ts';
import { launchCommand } from '../mcp/launch-command.ts';
import { startHttp, type RunningHttp } from '../gateway/server.ts';
import type { Command, CommandContext, OpenedStore } from './command.ts';
import { createProgressLine } from './terminal.ts';

/** Runs the gateway until it is stopped. */
export const command: Command = {
  usage: '[flags]',
  flags: [
    valueFlag('port', 'N', 'The port to listen on ([server] port); 0 picks a free one.'),
    valueFlag('host', 'ADDRESS', 'The address to listen on ([server] host).'),
    valueFlag(
      'web',
      'FILE[,FILE…]',
      'Answer from these WACZ or WARC files, and never from the web ([web] snapshot).',
    ),
  ],
  run: async ({ args, say, signal, open, isTerminal, main, env }) => {
    const [port, host] = [wholeNumber(args, 'port', PORTS), args.value('host')];
    const web = args.value('web')?.split(',');
    const settings = {
      ...(port === undefined ? {} : { 'server.port': port }),
      ...(host === undefined ? {} : { 'server.host': host }),
      ...(web === undefined ? {} : { 'web.mode': 'replay', 'web.snapshot': web }),
    };
    const opened = await open({ isGateway: true, settings });
    const { services, store } = opened;
    if (store === undefined) throw new HeadgateError('internal', 'A gateway has a store.');
    const admin = adminTokenOf(services.config.server.admin_token, opened.home);
    // Fails before the gateway reports that it is ready, if the store does not open.
    const isNew = !(await store.sessions.anyAdmin());
    const { origins, providerKeys, file: settingsFile } = opened;
    const launch = launchCommand(main, env['PATH']);
    const own = { origins, providerKeys, settingsFile, launch, adminToken: admin.token };
    const http = await startHttp({ services, store, operations, ...own });
    try {
      const titles = services.providers.map((ready) => ready.provider.title);
      // Links are for people, who may reach the gateway under another address than its own.
      const url = services.config.server.public_url ?? http.url;
      const mcp = shellLine({ ...launch, args: [...launch.args, 'mcp'] });
      // Once there are keys, a request without one is refused.
      const key = (await store.keys.any()) ? " -H 'authorization: Bearer YOUR-KEY'" : '';
      say(welcome({ url, listens: http.url, titles, admin: admin.place, mcp, key }));
      if (isNew) say(await setupLink(store, url));
      await workUntilStopped({ ...opened, say, signal, isTerminal }, http);
      return 0;
    } finally {
      // Whatever the reason, a failed gateway must stop listening.
      await http.close();
    }
  },
};

/** The background work of a gateway. On shutdown, calls end first, then this. */
async function workUntilStopped(
  opened: OpenedStore & Pick<CommandContext, 'say' | 'signal' | 'isTerminal'>,
  http: RunningHttp,
): Promise<void> {
  const { services, meter, alerts, signal } = opened;
  // Runs in a thread of its own; serving does not wait for it.
  const indexing = services.config.library.index_project ? indexHere(opened) : undefined;
  // Releases holds that a crashed gateway left behind.
  const sweeping = Promise.all([
    meter?.sweepUntil(signal),
    alerts?.deliverUntil(signal),
    workCrawlsUntil(signal, services),
    addCrawlsToLibraryUntil(signal, services),
    services.research.workUntil(signal, services),
  ]);
  if (!signal.aborted) await once(signal, 'abort');
  await http.close();
  await sweeping;
  // A library that is merging cannot be interrupted. Acknowledged work survives the end of its thread.
  const timer = setTimeout(() => void services.library.close(), LIMITS.libraryStopMs);
  await services.libraryJobs.close();
  await indexing;
  clearTimeout(timer);
}

/** Indexes the documentation of the packages in node_modules, and reports progress. */
async function indexHere({
  services,
  home,
  say,
  isTerminal,
}: Pick<OpenedStore, 'services' | 'home'> & Pick<CommandContext, 'say' | 'isTerminal'>): Promise<void> {
  const { libraryJobs, log } = services;
  try {
    const job = await indexProject(process.cwd(), join(home, 'library'), services);
    if (job === undefined) return;
    say('Library: indexing the documentation of the packages in node_modules …\n');
    const line = createProgressLine(say, isTerminal);
    const timer = setInterval(() => line.show(job.progress), PROGRESS_MS);
    const { state, report, error, startedAt, endedAt = startedAt } = await libraryJobs.finished(job.id);
    clearInterval(timer);
    line.clear();
    if (state === 'failed') say(`Library: ${error ?? 'It could not be indexed.'}\n`);
    if (state !== 'done' || report === undefined) return;
    const seconds = Math.round((endedAt - startedAt) / 100) / 10;
    const pages = plural(report.added + report.replaced, 'page');
    say(`Library: ${pages} of documentation indexed in ${seconds} s; searches find them offline.\n`);
  } catch (thrown) {
    // A gateway serves without it.
    log.warn('library_project_failed', { cause: thrown });
    say(`Library: ${HeadgateError.from(thrown).explanation}\n`);
  }
}

const PROGRESS_MS = 250;

/** The configured admin token, or one that is generated once and readable only by this user. */
function adminTokenOf(configured: string | undefined, home: string): { token: string; place: string } {
  if (configured !== undefined) return { token: configured, place: '[server] admin_token' };
  const place = join(home, 'admin-token');
  if (!existsSync(place)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(place, `hg_admin_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  }
  const token = readFileSync(place, 'utf8').trim();
  if (token.length >= ADMIN_TOKEN_CHARS_MIN) return { token, place };
  throw new HeadgateError(
    'invalid_config',
    own`The admin token in ${named(place)} is too short to be safe.`,
    {
      remediation: 'Delete the file; the next start makes a new one.',
    },
  );
}

const ADMIN_TOKEN_CHARS_MIN = 16;

interface Welcome {
  url: string;
  listens: string;
  titles: string[];
  admin: string;
  mcp: string;
  key: string;
}

const welcome = ({
  url,
  listens,
  titles,
  admin,
  mcp,
  key,
}: Welcome): string => `Headgate is ready on ${listens}

  Search     curl ${url}/search${key} -H 'content-type: application/json' -d '{"query":"rust programming"}'
  Tavily     point any Tavily client at ${url}
  MCP        ${url}/mcp, or let your client start \`${mcp}\`
  Console    ${url}/
  Admin      ${url}/admin/status, with the token in ${admin}
  Health     ${url}/healthz
  Providers  ${titles.join(', ')}

Ctrl-C stops it.
`;
