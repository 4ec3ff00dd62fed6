import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { choicesOf, editSetting, isChangeable } from '../../config/edit.ts';
import { configRows } from '../../config/rows.ts';
import { changeFile } from '../../core/change-file.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { GatewayContext } from '../door/context.ts';
import { defineRoute } from './route.ts';

const VALUE_CHARS_MAX = 10_000;

/** The configuration: what is in use, what the file says meanwhile, and changes to it. */
export const settingRoutes = [
  defineRoute({
    method: 'GET',
    path: '/config',
    summary:
      'List every setting with its value, description and origin, and what it will be after a restart. Secrets are only counted.',
    run: async (_input, gateway) => {
      const { services, origins = {}, settingsFile } = gateway;
      const { next, problem } = afterRestart(gateway);
      return {
        file:
          settingsFile === undefined
            ? null
            : { name: settingsFile.name, writable: isWritable(settingsFile.name) },
        ...(problem === undefined ? {} : { problem }),
        config: configRows(services.config, origins).map((row) => {
          const later = next?.get(row.key);
          const isOurs = settingsFile !== undefined && setElsewhere(row.key, gateway) === undefined;
          const choices = isOurs && isChangeable(row.key) ? choicesOf(row.key) : undefined;
          return {
            ...row,
            origin: later?.value === row.value ? later.origin : row.origin,
            changeable: isOurs && isChangeable(row.key),
            ...(choices === undefined ? {} : { choices }),
            ...(later === undefined || later.value === row.value
              ? {}
              : { after: { value: later.value, origin: later.origin } }),
          };
        }),
      };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/config',
    summary:
      'Change a setting in the configuration file, or remove it from there with null. It takes effect after a restart.',
    role: 'owner',
    body: z.strictObject({
      key: z.string().min(1).max(200),
      value: z.string().trim().max(VALUE_CHARS_MAX).nullable(),
    }),
    run: async ({ body: { key, value } }, gateway) => {
      const { settingsFile } = gateway;
      const elsewhere = setElsewhere(key, gateway);
      if (settingsFile === undefined)
        throw new HeadgateError('not_configured', 'The gateway was started without a configuration file.', {
          remediation: 'Write a headgate.toml and restart the gateway.',
        });
      if (!isChangeable(key))
        throw new HeadgateError('forbidden', own`${named(key)} is not changed in the console.`, {
          remediation: own`Change it in ${named(settingsFile.name)} and restart the gateway.`,
        });
      if (elsewhere !== undefined)
        throw new HeadgateError('conflict', own`${named(key)} is set by ${named(elsewhere)}.`, {
          remediation: 'Change it there and restart the gateway.',
        });
      const { name } = settingsFile;
      let line = 0;
      const changed = (before: string): string => {
        const edited = editSetting({ name, text: before }, key, value);
        check(() => settingsFile.load(edited.text));
        line = edited.line;
        return edited.text;
      };
      await changeFile(name, changed).catch((thrown: unknown) => {
        throw unusable(name, thrown);
      });
      return { key, file: name, line: value === null ? null : line, restart: true };
    },
    deed: ({ body: { key, value } }, { file }) => ({
      did: value === null ? 'setting.remove' : 'setting.change',
      fields: { key, file, ...(value === null ? {} : { value }) },
    }),
  }),
];

/** The variable or flag that sets a key, and so wins over the file. */
function setElsewhere(key: string, { origins, settingsFile }: GatewayContext): string | undefined {
  const origin = origins?.[key];
  const name = settingsFile?.name ?? '';
  return origin === name || origin?.startsWith(`${name}:`) === true ? undefined : origin;
}

/** The settings that the next start would have, by their keys. */
function afterRestart({ settingsFile }: GatewayContext) {
  if (settingsFile === undefined) return {};
  try {
    const { config, origins } = settingsFile.load(textOf(settingsFile.name));
    return { next: new Map(configRows(config, origins).map((row) => [row.key, row])) };
  } catch (thrown) {
    return { problem: HeadgateError.from(thrown).message };
  }
}

/** What the loader refuses is the caller's mistake. */
function check(load: () => unknown): void {
  try {
    load();
  } catch (thrown) {
    const { message } = HeadgateError.from(thrown);
    throw new HeadgateError('invalid_request', message, { cause: thrown });
  }
}

function textOf(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (cause) {
    throw unusable(name, cause);
  }
}

const unusable = (name: string, thrown: unknown): HeadgateError =>
  thrown instanceof HeadgateError
    ? thrown
    : new HeadgateError('conflict', own`The gateway may not change the configuration file ${named(name)}.`, {
        remediation: 'Change it by hand, or let the user of the gateway write it and its folder.',
        cause: thrown,
      });

/** A file is replaced, so its folder has to be writable too. */
function isWritable(name: string): boolean {
  try {
    accessSync(name, constants.W_OK);
    accessSync(dirname(name), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
