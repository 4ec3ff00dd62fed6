import {
  BlockList,
  connect,
  createServer,
  isIPv6,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createGuardedFetch } from './fetch.ts';
import { createGuardPolicy } from './guard.ts';

/** One line of a corpus. `dns` answers every look-up, `dns_seq` one after the other, `dns_map` by name. */
export interface CorpusLine {
  url: string;
  verdict: 'block' | 'allow';
  class: string;
  /** `address`: a non-public address must not be reached; `policy`, `syntax`: the URL must be refused. */
  kind?: string;
  dns?: string[];
  dns_seq?: string[][];
  dns_map?: Record<string, string[]>;
  /** The Location of each response in turn; after the last one comes a page. */
  redirect?: string[];
  status?: number;
}

export interface CorpusCount {
  passes: number;
  /** URLs that should have been refused and were not, or that reached an address that is not public. */
  misses: number;
  /** URLs that should have been allowed and were refused. */
  wrongRefusals: number;
}

export interface CorpusReport extends CorpusCount {
  classes: Record<string, CorpusCount>;
  /** What went wrong, one text per line. */
  failures: string[];
}

/**
 * Runs a corpus of URLs (JSON lines) through the production fetch. Names are resolved from the corpus, and
 * every dialled address is recorded and replaced by a local server, so nothing leaves the machine. Prints one
 * line per class and a total.
 */
export async function runSsrfCorpus(text: string, print: (line: string) => void): Promise<CorpusReport> {
  const lines = parseCorpus(text);
  const report: CorpusReport = { ...zero(), classes: {}, failures: [] };
  const web = await startScriptedWeb();
  try {
    for (const line of lines) {
      const result = judge(line, await play(line, web));
      const count = (report.classes[line.class] ??= zero());
      count[result.verdict] += 1;
      report[result.verdict] += 1;
      if (result.verdict !== 'passes') report.failures.push(`${line.class}: ${line.url} (${result.reason})`);
    }
  } finally {
    web.close();
  }
  for (const [name, count] of Object.entries(report.classes)) print(summary(name, count));
  for (const failure of report.failures) print(`  ${failure}`);
  print(summary(`total (${lines.length} lines)`, report));
  return report;
}

interface Played {
  refused: HeadgateError | undefined;
  /** Every address that would have been connected to. */
  dialled: string[];
}

/** Codes that are decisions of the guard, as opposed to other failures. */
const REFUSALS = new Set(['invalid_url', 'blocked_host', 'redirect_refused', 'page_status']);

function judge(
  line: CorpusLine,
  { refused, dialled }: Played,
): { verdict: keyof CorpusCount; reason: string } {
  const reached = dialled.find((address) => !isPublic(address));
  if (reached !== undefined) return { verdict: 'misses', reason: `connected to ${reached}` };
  if (line.verdict === 'allow') {
    return refused === undefined
      ? { verdict: 'passes', reason: '' }
      : { verdict: 'wrongRefusals', reason: refused.message };
  }
  if (refused !== undefined) {
    // A name without an answer reaches nothing, but a rule should have refused it.
    const decided = REFUSALS.has(refused.code) || line.kind === 'address';
    return decided ? { verdict: 'passes', reason: '' } : { verdict: 'misses', reason: refused.message };
  }
  // A name whose answer changes later may be fetched, as long as only the vetted address is dialled.
  return line.dns_seq !== undefined && line.kind !== 'policy'
    ? { verdict: 'passes', reason: '' }
    : { verdict: 'misses', reason: 'was fetched' };
}

async function play(line: CorpusLine, web: ScriptedWeb): Promise<Played> {
  const dialled: string[] = [];
  let lookups = 0;
  const resolve = async (host: string) => {
    const sequence = line.dns_seq;
    const answer =
      line.dns_map?.[host] ??
      (sequence === undefined ? line.dns : sequence[Math.min(lookups, sequence.length - 1)]);
    lookups += 1;
    return answer ?? [];
  };
  const guarded = createGuardedFetch({
    policy: createGuardPolicy(),
    userAgent: 'headgate-doctor',
    resolve,
    connect: async ({ address }, signal) => {
      dialled.push(address);
      return { socket: await web.connect(signal), remoteAddress: address };
    },
  });
  web.script([...(line.redirect ?? [])], line.status ?? 302);
  const refused = await guarded
    .fetch(line.url, { signal: new AbortController().signal, caller: 'doctor', gate: undefined })
    .then(
      () => undefined,
      (thrown: unknown) => HeadgateError.from(thrown),
    );
  await guarded.close();
  return { refused, dialled };
}

interface ScriptedWeb {
  script(redirects: string[], status: number): void;
  connect(signal: AbortSignal): Promise<Socket>;
  close(): void;
}

/**
 * A server that sends raw bytes, because a redirect in a corpus may contain what an HTTP library would not
 * send.
 */
async function startScriptedWeb(): Promise<ScriptedWeb> {
  let redirects: string[] = [];
  let status = 302;
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const location = redirects.shift();
      const head =
        location === undefined
          ? 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 15\r\n\r\n<p>a page</p>\r\n'
          : `HTTP/1.1 ${status} Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
      socket.end(head);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    script: (next, nextStatus) => {
      redirects = next;
      status = nextStatus;
    },
    connect: (signal) =>
      new Promise((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', signal }, () => resolve(socket));
        socket.on('error', reject);
      }),
    close: () => server.close(),
  };
}

/**
 * A second opinion on addresses, with Node's code instead of the guard's, so that a mistake there shows here.
 */
const isPublic = (address: string): boolean =>
  isIPv6(address)
    ? REACHABLE.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6')
    : !SPECIAL.check(address, 'ipv4');

const SPECIAL4 =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`.split(
    /\s+/,
  );

/** The same ranges inside a 96-bit IPv6 prefix, as mapped addresses and NAT64 carry them. */
const inside = (prefix: string): string[] =>
  SPECIAL4.map((range) => {
    const [base = '', bits = ''] = range.split('/');
    return `${prefix}${base}/${96 + Number(bits)}`;
  });

const REACHABLE = blockList(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']);
const SPECIAL = blockList([
  ...SPECIAL4,
  ...inside('::ffff:'),
  ...inside('64:ff9b::'),
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

function blockList(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits = ''] = range.split('/');
    list.addSubnet(base, Number(bits), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return list;
}

function parseCorpus(text: string): CorpusLine[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0 || lines.length > LIMITS.corpusLinesMax) {
    throw new HeadgateError('invalid_request', `A corpus has 1 to ${LIMITS.corpusLinesMax} JSON lines.`);
  }
  return lines.map((line, index) => {
    const parsed = parseLine(line);
    if (parsed !== undefined) return parsed;
    throw new HeadgateError(
      'invalid_request',
      own`Line ${index + 1} of the corpus is not a {"url", "verdict", "class"}.`,
    );
  });
}

function parseLine(line: string): CorpusLine | undefined {
  try {
    const value = JSON.parse(line) as CorpusLine;
    const verdict = value.verdict === 'block' || value.verdict === 'allow';
    return verdict && typeof value.url === 'string' && typeof value.class === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

const zero = (): CorpusCount => ({ passes: 0, misses: 0, wrongRefusals: 0 });

const summary = (name: string, { passes, misses, wrongRefusals }: CorpusCount): string =>
  `${name.padEnd(28)} passes ${passes}, misses ${misses}, wrong refusals ${wrongRefusals}`;
