import { z } from 'zod';
import { asOf, integer } from '../contract/fields.ts';
import { LIMITS } from '../core/limits.ts';
import { WINDOW_WORDS } from '../core/window.ts';
import { providers } from '../providers/index.ts';
import type { Capability, Provider } from '../providers/provider.ts';
import { booleanLeaf, integers, list, secret, secrets, textLeaf } from './leaf.ts';
import { auth, publicUrl, signInMistakes } from './auth.ts';
import { library, model, researchSection, telemetry } from './sections.ts';
import { providerNames } from './names.ts';
import { policySection } from './policy.ts';

const section = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never);

/** The allowance of a tier for priced providers. */
const tier = (calls: number, beyond: 'block' | 'charge', credits = 0) =>
  section({
    calls_free: integer(0, 1_000_000)
      .default(calls)
      .describe(`Priced calls in a ${WINDOW_WORDS}, that cost nothing.`),
    beyond: z
      .enum(['block', 'charge'])
      .default(beyond)
      .describe('What happens after that: calls are refused, or credits are charged.'),
    credits_max: integer(0, 1_000_000_000)
      .default(credits)
      .describe(`The most credits in a ${WINDOW_WORDS}, whoever pays for them; 0 is no limit.`),
  });

/** A list of providers with a capability. */
const chain = (...capabilities: Capability[]) => {
  const names = [...new Set(capabilities.flatMap(providerNames))];
  const isKnown = (name: string): boolean => names.includes(name.toLowerCase());
  return list().refine((given) => given.every(isKnown), {
    error: `must be one or more of ${names.join(', ')}.`,
  });
};

/** The settings that every `[providers.<id>]` section has, beside the provider's own. */
const common = {
  enabled: booleanLeaf().default(true).describe('Whether this provider is used.'),
  api_key: secrets()
    .optional()
    .describe('One key, or several separated by commas; each has its own pace and cooldown.'),
  pace_ms: integer(0, 60_000).optional().describe('The minimum time between two requests with one key.'),
  credit_price: integer(0, 1_000_000_000)
    .optional()
    .describe('The price of one credit of this provider, in millionths of a dollar; 0 is free.'),
};

/**
 * The section of a provider. One that is built in is always on and has neither keys nor a pace. A card with defaults gets its schema
 * when something is set: making and compiling thirty of them costs more than a search.
 */
function providerSection({ settings, defaults, builtIn }: Provider) {
  if (builtIn !== undefined) return section({ credit_price: common.credit_price });
  if (defaults === undefined) return section({ ...settings().shape, ...common });
  const made = z.lazy(() => z.strictObject({ ...settings().shape, ...common }));
  return made.default(() => untouched({ ...defaults, enabled: true }));
}

const UNTOUCHED = new WeakSet<object>();

const untouched = <Section extends object>(value: Section): Section => {
  UNTOUCHED.add(value);
  return value;
};

/** True for a section in which nothing is set. */
export const isUntouched = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && UNTOUCHED.has(value);

const providerSections = Object.fromEntries(
  providers.map((provider) => [provider.id, providerSection(provider)]),
);

const sections = z.strictObject({
  log: section({
    level: z
      .enum(['debug', 'info', 'warn', 'error'])
      .default('warn')
      .describe('The lowest level that is written to stderr.'),
  }),
  identity: section({
    contact: textLeaf()
      .optional()
      .describe(
        'Your mail address or web page, sent in the User-Agent to sources of topics. Some of them are only asked with it.',
      ),
  }),
  search: section({
    provider: chain('search')
      .default(['auto'])
      .describe('The search providers to use, in order; `auto` means every provider that is set up.'),
    prefer: z
      .enum(['order', 'cost', 'latency'])
      .default('order')
      .describe(
        'The order of `auto`: as listed, the cheapest first, or the fastest first by the median of the last hour in this process.',
      ),
    topics: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe(
        'Whether sources of topics answer when no general search does. `auto`: only where no provider was set up.',
      ),
    keyless: chain('search')
      .optional()
      .describe(
        'The only providers that are used without a key: `duckduckgo`, `wikipedia`. Unset: all that work without one.',
      ),
    rerank: chain('rerank')
      .optional()
      .describe(
        'The providers that rank the best results anew, in order. Unset: only Headgate’s own ranking is used.',
      ),
    strategy: z
      .enum(['fallback', 'fastest', 'merge'])
      .default('fallback')
      .describe('How several providers are combined.'),
    timeout_ms: integer(100, 600_000)
      .default(LIMITS.callTimeoutMs)
      .describe('The time limit of a call, retries included.'),
    retries: integer(0, LIMITS.retriesMax)
      .default(LIMITS.retriesMax)
      .describe('How often a request is retried.'),
    retry_base_ms: integer(1, 60_000)
      .default(LIMITS.retryBaseMs)
      .describe('The wait before the first retry; it doubles with each one.'),
    retry_cap_ms: integer(1, 60_000).default(LIMITS.retryCapMs).describe('The longest wait before a retry.'),
  }),
  extract: section({
    provider: chain('extract')
      .default(['headgate'])
      .describe('The providers that read pages, in order; `headgate` is the built-in reader.'),
    chromium: textLeaf()
      .optional()
      .describe(
        'Path of the Chromium or Chrome that runs page scripts for `advanced` extraction. Unset: the one found on this machine.',
      ),
  }),
  crawl: section({
    provider: chain('crawl', 'map')
      .default(['headgate'])
      .describe(
        'The providers that crawl sites, in order; `headgate` is the built-in crawler, and takes over when the others fail.',
      ),
  }),
  cache: section({
    enabled: booleanLeaf().default(true).describe('Whether answers are cached in memory.'),
    ttl_seconds: integer(0, 86_400)
      .default(LIMITS.cacheTtlMs / 1_000)
      .describe('How long an answer is cached.'),
  }),
  guard: section({
    allow: list()
      .default([])
      .describe('Private hosts that may be fetched: names, `.suffixes` or CIDR ranges.'),
    ports: integers(1, 65_535)
      .default([])
      .describe('Ports that may be fetched in addition to 80, 443, 8080 and 8443.'),
  }),
  policy: policySection,
  network: section({
    http_proxy: textLeaf().optional().describe('Proxy for calls to http providers; never used for pages.'),
    https_proxy: textLeaf().optional().describe('Proxy for calls to https providers; never used for pages.'),
    no_proxy: textLeaf().optional().describe('Hosts that are reached without the proxy.'),
    user_agent: textLeaf()
      .default('Headgate/0.1 (+https://github.com/headgate/headgate)')
      .describe('The User-Agent header for pages.'),
  }),
  server: section({
    host: textLeaf().default('127.0.0.1').describe('The address that `headgate serve` listens on.'),
    port: integer(0, 65_535).default(8787).describe('The port that `headgate serve` listens on.'),
    hosts: list()
      .default([])
      .describe(
        'Host names under which clients reach the gateway, in addition to local ones; `*` means any.',
      ),
    public_url: publicUrl(),
    origins: list()
      .default([])
      .describe(
        'Origins of web pages that may call the gateway from a browser, such as https://app.example.',
      ),
    keyless: booleanLeaf()
      .optional()
      .describe(
        'Serve calls without a key. Unset: only on a loopback address, and until the first key is created.',
      ),
    admin_token: secret()
      .optional()
      .describe('The token of the admin API. Unset: one is generated and stored in HEADGATE_HOME.'),
    provider_keys_file: textLeaf()
      .optional()
      .describe(
        'A file in which the console keeps keys of providers, readable by this user only. Unset: keys are not changed in the console.',
      ),
    metrics_token: secret().optional().describe('A token for /metrics only, for monitoring.'),
    behind_proxy: booleanLeaf()
      .default(false)
      .describe('Trust X-Forwarded-For. Use it only behind a proxy of your own that sets the header.'),
    key_in_path: booleanLeaf()
      .default(false)
      .describe(
        'Accept a key as part of the address (/key/KEY/search), for SearXNG clients that send neither a header nor a password. Proxies and clients log addresses.',
      ),
    requests_per_minute: integer(1, 1_000_000)
      .default(1_000)
      .describe('The most requests per minute for one key.'),
    requests_window_seconds: integer(1, 60)
      .default(60)
      .describe(
        'The sliding window in which they are counted: 60 admits all requests of a minute at once, 6 a tenth of them.',
      ),
    client_timeout_ms: integer(100, 600_000)
      .default(LIMITS.requestReceiveMs)
      .describe('How long a client may take to send its request, or to read any part of its answer.'),
    drain_seconds: integer(0, 300)
      .default(10)
      .describe('How long running calls may take to finish when the gateway is stopped.'),
  }),
  auth,
  limits: section({
    calls_per_day: integer(0, 1_000_000)
      .optional()
      .describe(`The most priced calls from this machine in a ${WINDOW_WORDS}.`),
    credits_per_day: integer(0, 1_000_000)
      .optional()
      .describe(`The most credits spent from this machine in a ${WINDOW_WORDS}.`),
    overage_max: integer(1, 1_000)
      .default(LIMITS.overageMax)
      .describe(
        'The most that is charged for a request, as a multiple of its reservation, whatever the provider reports.',
      ),
  }),
  store: section({
    url: secret()
      .optional()
      .describe(
        'Where workspaces, keys and credits are stored: a file, or a postgres:// address. By default a file in the home folder.',
      ),
    key_pepper: secret()
      .optional()
      .describe('Mixed into the stored hashes of API keys. Changing it makes every key invalid.'),
  }),
  scale: section({
    shared: booleanLeaf()
      .default(true)
      .describe(
        'Whether gateways on one PostgreSQL share rate limits, the pace of providers, cooldowns and circuit breakers. Without it, N gateways admit N times the limit.',
      ),
    on_loss: z
      .enum(['closed', 'share'])
      .default('closed')
      .describe(
        'While PostgreSQL cannot be reached: `closed` refuses what is not leased yet, `share` lets each gateway admit its share of the limit.',
      ),
  }),
  calls: section({
    days: integer(1, 3_650).default(30).describe('How long a row of the call log is kept.'),
    rows: integer(1_000, 100_000_000)
      .default(1_000_000)
      .describe(
        'How many rows the call log keeps; the oldest are removed first. A row takes about 500 bytes.',
      ),
    text_megabytes: integer(1, 100_000)
      .default(200)
      .describe('How much space the kept queries and answers may take; the oldest are removed first.'),
    keep_queries: booleanLeaf()
      .default(false)
      .describe(
        'Whether the query or addresses of calls without a workspace are kept. Workspaces have a setting of their own.',
      ),
    keep_answers: booleanLeaf()
      .default(false)
      .describe('Whether the answers of calls without a workspace are kept, as they were given.'),
  }),
  web: section({
    mode: z
      .enum(['live', 'record', 'replay', 'once'])
      .default('live')
      .describe(
        'Where answers come from: the web; the web, and everything is recorded; a snapshot, and nothing else; or a snapshot, and what it does not hold is recorded.',
      ),
    snapshot: list().default([]).describe('The WACZ files to replay, or the one to record.'),
    pack: booleanLeaf()
      .default(true)
      .describe(
        'Whether a process that has recorded packs the snapshot when it ends. Several processes leave it to `headgate record`.',
      ),
    seed: textLeaf()
      .optional()
      .describe('Gives the recordings of the same run the same IDs. Unset: every recording has its own.'),
    folder: textLeaf()
      .optional()
      .describe(
        'A folder of snapshots that workspaces may be set to (`headgate workspace set ID --web NAME`), by the names of its files. Unset: none.',
      ),
    as_of: asOf.describe(
      'The date, or the time, whose web a replay shows to calls that do not name one with `as_of`.',
    ),
    exact: booleanLeaf()
      .default(false)
      .describe(
        'Whether a replay answers only what was recorded. Otherwise it answers other searches by searching the snapshot.',
      ),
    misses: textLeaf()
      .optional()
      .describe('A file to which requests are added that a replay had no answer for.'),
  }),
  mcp: section({
    structured: booleanLeaf()
      .default(false)
      .describe(
        'Whether tools answer with `structuredContent` instead of text. A client can ask for it in a single call with `"headgate/structured": true` in `_meta`.',
      ),
    gateway_key: secret()
      .optional()
      .describe('The key for `headgate mcp --gateway`. `HEADGATE_API_KEY` takes precedence.'),
  }),
  bridge: section({
    workspace: textLeaf()
      .optional()
      .describe(
        'The workspace that is charged for calls of bridged tools; without it they are free. Over HTTP callers need a key of this workspace; with `*`, a key of any workspace, which is then charged.',
      ),
    credits: list()
      .default([])
      .describe('The price of a call of a tool, in credits: `search=2, fetch=1`. Other tools cost one.'),
    limits: list()
      .default([])
      .describe(
        `How often a workspace may call a tool in a ${WINDOW_WORDS}: \`search=100, fetch=500\`; others are not limited.`,
      ),
    credit_price: integer(0, 1_000_000_000)
      .default(0)
      .describe('The price of one credit of bridged tools, in millionths of a dollar.'),
    token: secret()
      .optional()
      .describe('The Bearer token for callers of `headgate bridge --http` when no workspace is set.'),
  }),
  tiers: section({
    free: tier(10, 'block'),
    starter: tier(10, 'charge', 1_000),
    pro: tier(10, 'charge'),
  }),
  library,
  research: researchSection,
  model,
  telemetry,
  providers: section(providerSections),
});

/**
 * The whole configuration. Every key has an environment variable: `[search] provider` is
 * `HEADGATE_SEARCH__PROVIDER`.
 */
export const configSchema = sections.superRefine(({ auth: given, server }, context) => {
  for (const { path, message } of signInMistakes(given, server.public_url))
    context.addIssue({ code: 'custom', path, message });
});

export type Config = z.output<typeof configSchema>;

/** The settings that every provider has, in the form the runner uses. */
export type ProviderSection = z.output<z.ZodObject<typeof common>> & Record<string, unknown>;
