import { creditPrice } from '../config/credit-price.ts';
import { HeadgateError, type FailureCode } from '../core/errors.ts';
import { diagnosed, listed, named } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import { runSsrfCorpus } from '../net/ssrf-corpus.ts';
import { providers } from '../providers/index.ts';
import type { Provider } from '../providers/provider.ts';
import { askSearch } from '../routing/ask.ts';
import { chooseChain, isNewcomer, missingOf } from '../routing/chain.ts';
import { searchMissingOf } from '../routing/known-providers.ts';
import type { HealthState } from '../routing/provider-health.ts';
import { checkKeys } from './doctor-live.ts';
import { createCall } from './perform.ts';
import type { ReadyProvider } from '../routing/ready-provider.ts';
import { isPostgres } from '../store/store.ts';
import type { Services } from './services.ts';

/** One check result, and what to do about it. */
export interface DoctorFinding {
  level: 'ok' | 'note' | 'problem';
  subject: string;
  text: string;
  /** For a provider: its health, if it was called. */
  health?: HealthState;
  /** The failure, if there was one. */
  code?: FailureCode;
}

const PROBE_MS = 8_000;
const SKEW_MS = 120_000;

interface DoctorOptions {
  online: boolean;
  /** Also checks the keys of priced providers. */
  live?: boolean;
  signal: AbortSignal;
}

/** Checks the setup, and calls every free provider once unless offline. */
export async function diagnose(services: Services, options: DoctorOptions): Promise<DoctorFinding[]> {
  const hasKey = (provider: Provider): boolean =>
    services.providers.some((ready) => ready.provider === provider && ready.keys.length > 0);
  const checked = providers.filter(
    (provider) => provider.topic === undefined || (options.live === true && hasKey(provider)),
  );
  const asked = await Promise.all(checked.map((provider) => providerFindings(provider, services, options)));
  return [
    ...asked.flat(),
    ...chainFinding(services),
    ...topicFindings(services),
    ...networkFindings(services),
    ...scaleFindings(services),
    await browserFinding(services),
  ];
}

/** What gateways on one PostgreSQL have in common. */
function scaleFindings({ config, shared }: Services): DoctorFinding[] {
  const subject = 'Several gateways';
  if (!isPostgres(config.store.url)) return [];
  if (!config.scale.shared) {
    const text = diagnosed`each counts for itself ([scale] shared is off): N of them admit N times the limit.`;
    return [{ level: 'note', subject, text }];
  }
  const { state, gateways } = shared.status();
  if (state === 'lost') {
    const text = diagnosed`the state they share cannot be reached. Check PostgreSQL and the log.`;
    return [{ level: 'problem', subject, text }];
  }
  const what = diagnosed`share rate limits, the pace of providers, cooldowns and circuit breakers; caches and retry budgets are each one's own.`;
  const text = state === 'shared' ? diagnosed`${what} This one sees ${gateways} of them.` : what;
  return [{ level: 'note', subject, text }];
}

/** Whom general search asks, in order. A chain that cannot be made is the finding of its provider. */
function chainFinding(services: Services): DoctorFinding[] {
  try {
    const [first, ...rest] = chooseChain(undefined, services).map(({ provider }) => provider.title);
    if (first === undefined)
      return [{ level: 'note', subject: 'Search', text: diagnosed`no provider is available.` }];
    const whom =
      rest.length === 0 ? diagnosed`asks ${first}.` : diagnosed`asks ${first}, then ${listed(rest)}.`;
    return [{ level: 'note', subject: 'Search', text: isNewcomer(services) ? limited(whom) : whom }];
  } catch {
    return [];
  }
}

const limited = (text: OwnText): OwnText =>
  diagnosed`${text} [search] keyless limits who is asked without a key.`;

/** Who is asked about topics, who is not, and why. Nobody is called: a check is no reason to use up a limit. */
function topicFindings({ config, providers: ready }: Services): DoctorFinding[] {
  const sources = providers.filter(({ topic }) => topic !== undefined);
  const isReady = (provider: Provider): boolean => ready.some((one) => one.provider === provider);
  const on = sources.filter(isReady).map(({ title }) => title);
  const off = new Map<OwnText, OwnText[]>();
  for (const provider of sources.filter((one) => !isReady(one))) {
    const why = missingOf(provider, config) ?? diagnosed`It is not set up.`;
    off.set(why, [...(off.get(why) ?? []), provider.title]);
  }
  const [first] = on;
  const text =
    first === undefined
      ? diagnosed`no source of topics is set up.`
      : limited(
          on.length === 1
            ? diagnosed`${first} is asked about its topics, with \`topic: auto\` or when no general search answers.`
            : diagnosed`${listed(on)} are asked about their topics, with \`topic: auto\` or when no general search answers.`,
        );
  return [
    { level: 'note', subject: 'Topics', text },
    ...[...off].map(([why, some]) => ({
      level: 'note' as const,
      subject: 'Topics',
      text: diagnosed`${listed(some)}: not asked. ${why}`,
    })),
  ];
}

/** Runs a corpus of hostile and harmless URLs through the production guard. True if nothing was missed. */
export async function checkGuard(corpus: string, print: (line: string) => void): Promise<boolean> {
  const report = await runSsrfCorpus(corpus, print);
  return report.misses === 0 && report.wrongRefusals === 0;
}

/** The findings for a provider: what is missing, what is wrong with its keys, or how it answers. */
async function providerFindings(
  provider: Provider,
  services: Services,
  options: DoctorOptions,
): Promise<DoctorFinding[]> {
  const subject = provider.title;
  const ready = services.providers.find((one) => one.provider === provider);
  if (ready === undefined) {
    const missing = missingOf(provider, services.config);
    const text = missing === undefined ? diagnosed`not set up.` : diagnosed`not set up. ${missing}`;
    return [{ level: 'note', subject, text, health: 'unknown' }];
  }
  const mistakes = ready.keys.flatMap((key, index) =>
    keyMistakes(provider, key).map((text) => diagnosed`key ${index + 1} ${text}`),
  );
  if (mistakes.length > 0)
    return mistakes.map((text) => ({ level: 'problem', subject, text, health: 'unknown' }));
  const count = ready.keys.length;
  if (options.online && options.live === true && count > 0)
    return (await checkKeys(ready, services, options.signal)).map((check) => ({ subject, ...check }));
  const reason = silenceOf(ready, services, options.online);
  if (reason !== undefined) {
    const text =
      count === 0
        ? diagnosed`set up; ${reason}`
        : count === 1
          ? diagnosed`set up with one key; ${reason}`
          : diagnosed`set up with ${count} keys; ${reason}`;
    return [{ level: 'note', subject, text, health: 'unknown' }];
  }
  return probe(ready, services, options.signal);
}

/** Why a provider is not called; undefined if it is. */
function silenceOf(
  { provider, keys }: ReadyProvider,
  services: Services,
  online: boolean,
): OwnText | undefined {
  const { config } = services;
  const isUsed = chooseChain('auto', services).some((one) => one.provider === provider);
  if (!online) return diagnosed`not asked.`;
  if (provider.search?.needsKey === 'auto' && keys.length === 0)
    return isUsed
      ? diagnosed`used without a key when those before it do not answer; not called, because it allows few calls a day.`
      : diagnosed`without a key it is used only when a call or [search] keyless names it.`;
  if (creditPrice(provider.id, config) > 0)
    return diagnosed`not called, because a call costs a credit. \`doctor --live\` checks its keys.`;
  if (provider.builtIn !== undefined) return diagnosed`built in; it needs no other service.`;
  if (provider.search === undefined) return diagnosed`not called, because it does not search.`;
  const missing = searchMissingOf(provider, config);
  return missing === undefined ? undefined : diagnosed`reads pages. ${missing}`;
}

/** Common mistakes in pasted keys. */
export function keyMistakes({ keyPrefix, title }: Provider, key: string): OwnText[] {
  const mistakes: [boolean, OwnText][] = [
    [/^["'“”‘’].*["'“”‘’]$/.test(key), diagnosed`is wrapped in quotation marks. Remove them.`],
    [/\s/.test(key), diagnosed`contains white space. Copy it again.`],
    [/[^\x21-\x7e]/.test(key) && !/\s/.test(key), diagnosed`contains invalid characters. Copy it again.`],
    [
      /^(your|my|insert|replace|changeme|xxx|<)|x{6,}|api[-_ ]?key/i.test(key),
      diagnosed`looks like a placeholder. Put a real key there.`,
    ],
    [/^Bearer\b/i.test(key), diagnosed`starts with "Bearer". Leave that word out.`],
    [key.length < 10, diagnosed`is too short to be a key.`],
    [
      keyPrefix !== undefined && !key.startsWith(keyPrefix),
      diagnosed`does not start with ${keyPrefix ?? ''}, as ${title} keys do. It is sent unchanged.`,
    ],
  ];
  return mistakes.flatMap(([wrong, text]) => (wrong ? [text] : []));
}

function networkFindings(services: Services): DoctorFinding[] {
  const { http_proxy: http, https_proxy: https } = services.config.network;
  if (http === undefined && https === undefined) return [];
  const text = diagnosed`a proxy is set. It is used for provider APIs only; pages are fetched directly, because a proxy would bypass the guard.`;
  return [{ level: 'note', subject: 'Network', text }];
}

/** A missing browser is a note, because only rendering needs it; a wrong path is a problem. */
async function browserFinding({ renderer, config }: Services): Promise<DoctorFinding> {
  const subject = 'Chromium';
  const file = await renderer.file();
  if (file !== undefined)
    return {
      level: 'ok',
      subject,
      text: diagnosed`found at ${named(file)}; \`advanced\` extraction runs page scripts.`,
    };
  if (config.extract.chromium !== undefined)
    return {
      level: 'problem',
      subject,
      text: diagnosed`[extract] chromium: ${named(config.extract.chromium)} does not exist.`,
    };
  const text = diagnosed`not found. Pages that need scripts cannot be read. Install Chromium or Chrome, or name one in [extract] chromium.`;
  return { level: 'note', subject, text };
}

async function probe(
  ready: ReadyProvider,
  services: Services,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const { provider } = ready;
  const candidate = { id: `${provider.id}#doctor`, ready, key: ready.keys[0], label: undefined };
  let skewMs = 0;
  const watched: Services = {
    ...services,
    upstream: {
      send: async (request, sendOptions) => {
        const response = await services.upstream.send(request, sendOptions);
        const date = Date.parse(response.headers['date'] ?? '');
        if (!Number.isNaN(date)) skewMs = services.clock.now() - date;
        return response;
      },
    },
  };
  const call = createCall(services, { signal, timeoutMs: PROBE_MS });
  const started = services.clock.now();
  const skew = (): DoctorFinding[] =>
    Math.abs(skewMs) < SKEW_MS
      ? []
      : [
          {
            level: 'problem',
            subject: 'Clock',
            text: diagnosed`the clock of this machine is ${Math.round(skewMs / 1_000)} s off from ${provider.title}’s. Set the clock.`,
          },
        ];
  try {
    const page = await askSearch(candidate, { text: 'headgate', resultsMax: 1 }, { call, services: watched });
    const ms = services.clock.now() - started;
    services.health.answered(provider.id, page.outcome, { reason: page.reason, ms });
    const degraded = page.outcome === 'degraded';
    const text = degraded
      ? diagnosed`answers with problems: ${page.reason ?? 'no results'}`
      : diagnosed`answers in ${ms} ms.`;
    const health = degraded ? 'degraded' : 'ok';
    return [{ level: degraded ? 'problem' : 'ok', subject: provider.title, text, health }, ...skew()];
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    services.health.failed(provider.id, error);
    const finding = {
      level: 'problem',
      subject: provider.title,
      text: error.explanation,
      code: error.code,
    } as const;
    return [{ ...finding, health: 'down' }, ...skew()];
  }
}
