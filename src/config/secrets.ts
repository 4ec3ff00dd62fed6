import { z } from 'zod';
import { redact } from '../core/log.ts';
import { isRandom } from '../policy/known-values.ts';
import { configSchema, isUntouched, type Config } from './schema.ts';

/** Whether a setting is declared as a secret. */
export function isSecret(schema: unknown): boolean {
  let here = schema as z.core.$ZodType | undefined;
  while (here !== undefined) {
    if (z.globalRegistry.get(here)?.['secret'] === true) return true;
    const { innerType, out } = here._zod.def as { innerType?: z.core.$ZodType; out?: z.core.$ZodType };
    here = innerType ?? out;
  }
  return false;
}

/** A setting as it may be shown: secrets are only counted, and addresses lose their credentials. */
export const shownValue = (schema: unknown, value: unknown): string =>
  isSecret(schema) ? `[${[value].flat().length} set]` : redact(JSON.stringify(value));

/** The setting at a path such as `server.port`, or undefined when there is none. */
export const settingAt = (path: readonly string[]): unknown =>
  path.reduce<unknown>((schema, name) => shapeOf(schema)?.[name], configSchema);

/** Every value of the configuration that must not be seen outside: secrets, and credentials in addresses. */
export function secretsOf(config: Config): string[] {
  return valuesOf(configSchema, config).filter((value) => value !== '');
}

/** Those that can be told from ordinary words. Addresses are not among them, but their passwords are. */
export const tellingSecretsOf = (config: Config): string[] =>
  secretsOf(config).filter(
    (value) =>
      !value.includes('://') && value !== config.store?.url && (isRandom(value) || value.length >= WORDS_MIN),
  );

/** A value that is made of words is compared only when it is this long. */
const WORDS_MIN = 14;

function valuesOf(schema: unknown, value: unknown): string[] {
  if (value === undefined || isUntouched(value)) return [];
  const shape = shapeOf(schema);
  if (shape !== undefined) {
    return Object.entries(shape).flatMap(([name, below]) =>
      valuesOf(below, (value as Record<string, unknown>)[name]),
    );
  }
  const texts = [value].flat().filter((one) => typeof one === 'string');
  // Of `name=value`, which headers are written as, the value is a secret of its own.
  const own = isSecret(schema) ? texts.flatMap((text) => [text, text.slice(text.indexOf('=') + 1)]) : [];
  return [...own, ...texts.flatMap(credentialsIn)];
}

/** The user and the password of an address, as they are written and as they are meant. */
function credentialsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password } = new URL(text);
  return [username, password].flatMap((part) => [part, decoded(part)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Wrapped {
  shape?: Record<string, unknown>;
  def?: { innerType?: unknown; getter?(): unknown };
}

/** The shape of an object schema inside its wrappers. */
export function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let here = schema as Wrapped | undefined;
  while (here !== undefined && here.shape === undefined)
    here = (here.def?.innerType ?? here.def?.getter?.()) as Wrapped | undefined;
  return here?.shape;
}
