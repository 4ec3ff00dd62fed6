import { existsSync, readFileSync } from 'node:fs';
import { changeFile } from '../core/change-file.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { parseToml, writeToml } from './load.ts';

/** Keys by the ID of their provider, in the order in which they are used. */
export type KeysByProvider = Record<string, string[]>;

/** The keys of providers that the console manages. */
export interface ProviderKeys {
  /** `[server] provider_keys_file`; undefined when the operator named none. */
  file: string | undefined;
  /** Changes the keys of one provider in the file. True when this process uses them from now on, false when it has to be restarted. */
  change(provider: string, change: (keys: string[]) => string[]): Promise<boolean>;
  /** What the provider said is left on a key when it was asked last, by the lane of the key. */
  left: Map<string, { left: number; unit: string; at: number }>;
}

/** The keys in a file that may not exist yet. Throws when there is anything else in it. */
export function readKeysFile(file: string): KeysByProvider {
  if (!existsSync(file)) return {};
  try {
    return keysIn(readFileSync(file, 'utf8'), file);
  } catch (thrown) {
    throw unusable(file, 'read', thrown);
  }
}

function keysIn(text: string, file: string): KeysByProvider {
  const { providers = {}, ...others } = parseToml(text, file);
  const sections = Object.entries(providers as Record<string, Record<string, unknown>>);
  const isKeys = ([, section]: (typeof sections)[number]): boolean =>
    Object.keys(section).join() === 'api_key' &&
    Array.isArray(section['api_key']) &&
    section['api_key'].every((key) => typeof key === 'string');
  if (Object.keys(others).length > 0 || !sections.every(isKeys))
    throw new HeadgateError(
      'invalid_config',
      own`${named(file)} has more in it than keys of providers ([server] provider_keys_file).`,
      { remediation: 'Leave only sections such as [providers.tavily] with a list `api_key` in it.' },
    );
  return Object.fromEntries(sections.map(([id, section]) => [id, section['api_key'] as string[]]));
}

const HEAD =
  '# Keys of providers, written by the console of Headgate. Comments do not survive its next change.\n\n';

/** Changes the file, which only its owner can read. Gateways that change it at once do so one after the other. */
export async function changeKeysFile(
  file: string,
  change: (keys: KeysByProvider) => KeysByProvider,
): Promise<void> {
  const changed = (text: string): string => {
    const sections = Object.entries(change(keysIn(text, file))).filter(([, list]) => list.length > 0);
    const providers = Object.fromEntries(sections.map(([id, list]) => [id, { api_key: list }]));
    return `${HEAD}${writeToml({ providers })}\n`;
  };
  try {
    await changeFile(file, changed, 0o600);
  } catch (thrown) {
    throw unusable(file, 'written', thrown);
  }
}

const unusable = (file: string, done: 'read' | 'written', thrown: unknown): HeadgateError =>
  thrown instanceof HeadgateError
    ? thrown
    : new HeadgateError('invalid_config', own`The file of keys ${named(file)} cannot be ${done}.`, {
        remediation: 'Check [server] provider_keys_file and the permissions of its folder.',
        cause: thrown,
      });
