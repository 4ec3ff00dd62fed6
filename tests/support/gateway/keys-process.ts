import { changeKeysFile } from '../../../src/config/provider-keys.ts';

/** Adds keys of a provider to a file, one after the other, as a gateway of its own. */
const [file = '', provider = '', name = '', count = ''] = process.argv.slice(2);
for (let at = 0; at < Number(count); at += 1)
  await changeKeysFile(file, (keys) => ({
    ...keys,
    [provider]: [...(keys[provider] ?? []), `${name}-${at}`],
  }));
