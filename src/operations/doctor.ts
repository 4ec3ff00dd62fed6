import { creditPrice } from '../config/credit-price.ts';
import { HeadgateError } from '../core/errors.ts';
import { joinSentences } from '../core/text.ts';
import { runSsrfCorpus } from '../net/ssrf-corpus.ts';
import { providers } from '../providers/index.ts';
import type { Provider } from '../providers/provider.ts';
import { askSearch } from './asking/ask.ts';
import { missingOf } from './asking/chain.ts';
import { searchMissingOf } from './asking/known-providers.ts';
import type { HealthState } from './asking/provider-health.ts';
import { createCall } from './perform.ts';
import type { ReadyProvider } from './asking/ready-provider.ts';
import type { Services } from './services.ts';

/** One thing that was looked at, and what to do about it. */
export interface Finding {
  level: 'ok' | 'note' | 'problem';
  subject: string;
  text: string;
  /** Of a provider: how it does, as far as this doctor asked. */
  health?: HealthState;
}

const PROBE_MS = 8_000;
const SKEW_MS = 120_000;

/** Looks at the set-up, and asks every free provider once unless it should stay offline. */
export async function diagnose(
  services: Services,
  options: { online: boolean; signal: AbortSignal },
): Promise<Finding[]> {
  const asked = await Promise.all(providers.map((provider) => providerFindings(provider, services, options)));
  return [...asked.flat(), ...networkFindings(services), await browserFinding(services)];
}

/** Plays a corpus of hostile and harmless URLs through the production guard. True when nothing was missed. */
export async function checkGuard(corpus: string, print: (line: string) => void): Promise<boolean> {
  const report = await runSsrfCorpus(corpus, print);
  return report.misses === 0 && report.wrongRefusals === 0;
}

/** What is to be said of a provider: what is missing, what is wrong with its keys, or how it answers. */
async function providerFindings(
  provider: Provider,
  services: Services,
  options: { online: boolean; signal: AbortSignal },
): Promise<Finding[]> {
  const subject = provider.title;
  const ready = services.providers.find((one) => one.provider === provider);
  if (ready === undefined) {
    const text = joinSentences('not set up.', missingOf(provider, services.config));
    return [{ level: 'note', subject, text, health: 'unknown' }];
  }
  const mistakes = ready.keys.flatMap((key, index) =>
    keyMistakes(provider, key).map((text) => `key ${index + 1} ${text}`),
  );
  if (mistakes.length > 0)
    return mistakes.map((text) => ({ level: 'problem', subject, text, health: 'unknown' }));
  const count = ready.keys.length;
  const setUp = `set up${count === 0 ? '' : ` with ${count === 1 ? 'one key' : `${count} keys`}`}`;
  const reason = silenceOf(ready, services, options.online);
  if (reason !== undefined)
    return [{ level: 'note', subject, text: `${setUp}; ${reason}`, health: 'unknown' }];
  return probe(ready, services, options.signal);
}

/** Why a provider is not asked, in words, or undefined when it is. */
function silenceOf({ provider }: ReadyProvider, { config }: Services, online: boolean): string | undefined {
  if (!online) return 'not asked.';
  if (creditPrice(provider.id, config) > 0) return 'not asked, because a call costs a credit.';
  if (provider.search === undefined) return 'not asked, because it does not search.';
  const missing = searchMissingOf(provider, config);
  return missing === undefined ? undefined : `reads pages. ${missing}`;
}

/** What people really paste into key variables. */
function keyMistakes({ keyPrefix, title }: Provider, key: string): string[] {
  return [
    [/^["'“”‘’].*["'“”‘’]$/.test(key), 'is wrapped in quotation marks. Remove them.'],
    [/\s/.test(key), 'contains white space. Copy it again.'],
    [/[^\x21-\x7e]/.test(key) && !/\s/.test(key), 'contains characters that no key has. Copy it again.'],
    [
      /^(your|my|insert|replace|changeme|xxx|<)|x{6,}|api[-_ ]?key/i.test(key),
      'looks like a placeholder. Put a real key there.',
    ],
    [/^Bearer\b/i.test(key), 'starts with "Bearer". Leave that word out.'],
    [key.length < 10, 'is too short to be a key.'],
    [
      keyPrefix !== undefined && !key.startsWith(keyPrefix),
      `does not start with ${keyPrefix}, as ${title} keys do. It is sent as it is.`,
    ],
  ].flatMap(([wrong, text]) => (wrong === true ? [String(text)] : []));
}

function networkFindings(services: Services): Finding[] {
  const { http_proxy: http, https_proxy: https } = services.config.network;
  if (http === undefined && https === undefined) return [];
  const text =
    'a proxy is set. It is used for provider APIs only; pages are fetched directly, because a proxy would undo the guard.';
  return [{ level: 'note', subject: 'Network', text }];
}

/** Without a browser everything works but one thing, so its absence is a note; a wrong path is a mistake. */
async function browserFinding({ renderer, config }: Services): Promise<Finding> {
  const subject = 'Chromium';
  const file = await renderer.file();
  if (file !== undefined)
    return { level: 'ok', subject, text: `found at ${file}; \`advanced\` reading runs pages’ scripts.` };
  if (config.extract.chromium !== undefined)
    return {
      level: 'problem',
      subject,
      text: `[extract] chromium: ${config.extract.chromium} does not exist.`,
    };
  const text =
    'not found. Pages that are drawn by scripts stay unread. Install Chromium or Chrome, or name one in [extract] chromium.';
  return { level: 'note', subject, text };
}

async function probe(ready: ReadyProvider, services: Services, signal: AbortSignal): Promise<Finding[]> {
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
  const skew = (): Finding[] =>
    Math.abs(skewMs) < SKEW_MS
      ? []
      : [
          {
            level: 'problem',
            subject: 'Clock',
            text: `this machine is ${Math.round(skewMs / 1_000)} s away from ${provider.title}. Set the clock.`,
          },
        ];
  try {
    const page = await askSearch(candidate, { text: 'headgate', resultsMax: 1 }, call, watched);
    const ms = services.clock.now() - started;
    services.health.answered(provider.id, page.outcome, page.reason);
    const degraded = page.outcome === 'degraded';
    const text = degraded
      ? joinSentences('answers, but badly:', page.reason ?? 'no results')
      : `answers in ${ms} ms.`;
    const health = degraded ? 'degraded' : 'ok';
    return [{ level: degraded ? 'problem' : 'ok', subject: provider.title, text, health }, ...skew()];
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    services.health.failed(provider.id, error);
    const finding = { level: 'problem', subject: provider.title, text: error.explanation } as const;
    return [{ ...finding, health: 'down' }, ...skew()];
  }
}
