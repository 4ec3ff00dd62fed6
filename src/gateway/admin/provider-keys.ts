import { z } from 'zod';
import type { ProviderSection } from '../../config/schema.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { named, own } from '../../core/own-text.ts';
import { checkKey } from '../../operations/doctor-live.ts';
import { keyMistakes } from '../../operations/doctor.ts';
import { providers } from '../../providers/index.ts';
import type { Provider } from '../../providers/provider.ts';
import { missingOf } from '../../routing/chain.ts';
import { laneOf, type Candidate } from '../../routing/key-ring.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { GatewayContext } from '../door/context.ts';
import { defineRoute } from './route.ts';

const KEYS_MAX = 50;

/** Keys of providers, which the operator adds, tests and orders. A key goes in and never comes out: it is named by a hash of itself. */
export const providerKeyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/provider-keys',
    summary: 'List the providers that take keys: where their keys are set, and what names each key.',
    role: 'admin',
    run: async (_input, gateway) => ({
      file: gateway.providerKeys?.file ?? null,
      providers: providers
        .filter(({ keys, builtIn }) => keys !== 'none' && builtIn === undefined)
        .map((provider) => shown(provider, gateway)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/provider-keys/:id',
    summary: 'Add a key of a provider, after those it has.',
    body: z.strictObject({ key: z.string().trim().min(1).max(1_000) }),
    run: async ({ params, body }, gateway) => {
      const provider = providerOf(params);
      const [mistake] = keyMistakes({ ...provider, keyPrefix: own`` }, body.key);
      if (mistake !== undefined) throw new HeadgateError('invalid_request', own`The key ${named(mistake)}`);
      return change(provider, gateway, (keys) => {
        if (keys.includes(body.key))
          throw new HeadgateError('conflict', own`${provider.title} has this key already.`);
        if (keys.length >= KEYS_MAX)
          throw new HeadgateError(
            'conflict',
            own`${provider.title} has ${KEYS_MAX} keys, which is the most.`,
            {
              remediation: 'Remove one first.',
            },
          );
        return [...keys, body.key];
      });
    },
    deed: ({ params }, { keys }) => did('providerKey.add', params, keys.at(-1)?.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/provider-keys/:id',
    summary: 'Set the order in which the keys of a provider are used.',
    body: z.strictObject({ order: z.array(z.string()).max(KEYS_MAX) }),
    run: async ({ params, body: { order } }, gateway) => {
      const provider = providerOf(params);
      return change(provider, gateway, (keys) => {
        const byName = new Map(keys.map((key) => [nameOf(provider, key, gateway), key]));
        const ordered = order.flatMap((name) => byName.get(name) ?? []);
        if (new Set(ordered).size !== keys.length || ordered.length !== keys.length)
          throw new HeadgateError('conflict', 'These are not the keys that the provider has now.', {
            remediation: 'Load them again.',
          });
        return ordered;
      });
    },
    deed: ({ params }) => did('providerKey.order', params),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/provider-keys/:id/:key',
    summary: 'Remove a key of a provider.',
    run: async ({ params }, gateway) => {
      const provider = providerOf(params);
      return change(provider, gateway, (keys) => {
        const rest = keys.filter((key) => nameOf(provider, key, gateway) !== params['key']);
        if (rest.length === keys.length) throw unknownKey(provider);
        return rest;
      });
    },
    deed: ({ params }) => did('providerKey.remove', params, params['key']),
  }),
  defineRoute({
    method: 'POST',
    path: '/provider-keys/:id/:key/test',
    summary:
      'Ask a provider once with one of its keys: what is left on it, or else a search, which is booked.',
    run: async ({ params }, gateway) => {
      const provider = providerOf(params);
      const { services, providerKeys } = gateway;
      const ready = services.providers.find((one) => one.provider === provider);
      const candidates = ready === undefined ? [] : services.keyRing.all(ready);
      const at = candidates.findIndex((one) => shortOf(one) === params['key']);
      const candidate = candidates[at];
      if (ready === undefined || candidate?.key === undefined) throw unknownKey(provider);
      const signal = AbortSignal.timeout(LIMITS.providerTimeoutMs);
      const checked = await checkKey(ready, candidate.key, { number: at + 1, services, signal });
      const { left, unit } = checked;
      if (left !== undefined && unit !== undefined)
        providerKeys?.left.set(laneOf(candidate), { left, unit, at: services.clock.now() });
      return checked;
    },
    deed: ({ params }) => did('providerKey.test', params, params['key']),
  }),
];

const did = <const Did extends string>(name: Did, params: Record<string, string>, key = '') => ({
  did: name,
  fields: { provider: providerOf(params).title as string, key },
});

function providerOf(params: Record<string, string>): Provider {
  const found = providers.find(({ id, keys }) => id === params['id'] && keys !== 'none');
  if (found === undefined)
    throw new HeadgateError('not_found', own`No provider "${named(params['id'] ?? '')}" takes keys.`, {
      remediation: 'List them with GET /admin/provider-keys.',
    });
  return found;
}

const unknownKey = (provider: Provider): HeadgateError =>
  new HeadgateError('not_found', own`${provider.title} has no such key.`, {
    remediation: 'Load them again.',
  });

/** The place outside our file in which the keys of a provider are set; it wins over ours. */
function setElsewhere({ id }: Provider, { origins, providerKeys }: GatewayContext): string | undefined {
  const origin = origins?.[`providers.${id}.api_key`];
  return origin === providerKeys?.file ? undefined : origin;
}

async function change(provider: Provider, gateway: GatewayContext, make: (keys: string[]) => string[]) {
  const { providerKeys, origins } = gateway;
  const elsewhere = setElsewhere(provider, gateway);
  if (elsewhere !== undefined)
    throw new HeadgateError('conflict', own`The keys of ${provider.title} are set by ${named(elsewhere)}.`, {
      remediation: 'Change them there, or remove them there and restart the gateway.',
    });
  if (providerKeys === undefined) throw new HeadgateError('internal', 'A gateway has keys of providers.');
  const isUsed = await providerKeys.change(provider.id, make);
  const { file } = providerKeys;
  if (origins !== undefined && file !== undefined) origins[`providers.${provider.id}.api_key`] = file;
  return { ...shown(provider, gateway), restart: !isUsed };
}

function shown(provider: Provider, gateway: GatewayContext) {
  const { services, providerKeys } = gateway;
  const { config } = services;
  const section = (config.providers as Record<string, ProviderSection>)[provider.id];
  const missing = missingOf(provider, config);
  const elsewhere = setElsewhere(provider, gateway);
  const candidates = services.keyRing.all(keyed(provider, section?.api_key ?? []));
  return {
    id: provider.id,
    title: provider.title as string,
    required: provider.keys === 'required',
    ...(missing === undefined ? {} : { missing: missing as string }),
    ...(elsewhere === undefined ? {} : { elsewhere }),
    keys: candidates.flatMap((candidate) => {
      if (candidate.key === undefined) return [];
      const left = providerKeys?.left.get(laneOf(candidate));
      const { until } = services.keyRing.cooldownOf(candidate) ?? {};
      return [
        {
          id: shortOf(candidate),
          ...(left === undefined ? {} : { balance: left }),
          ...(until === undefined ? {} : { until }),
        },
      ];
    }),
  };
}

const keyed = (provider: Provider, keys: string[]): ReadyProvider => ({
  provider,
  settings: {},
  keys,
  paceMs: 0,
});

/** The end of a lane: the beginning of a hash of the key. */
const shortOf = (candidate: Candidate): string => laneOf(candidate).split('#')[1] ?? '';

const nameOf = (provider: Provider, key: string, { services }: GatewayContext): string =>
  services.keyRing
    .all(keyed(provider, [key]))
    .map(shortOf)
    .join();
