import { z } from 'zod';
import { OWN } from '../../config/names.ts';
import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** The built-in reader as a provider: no key, no API, free. */
export const ownReader: Provider = {
  id: OWN,
  title: own`Headgate`,
  homepage: 'https://github.com/headgate/headgate',
  settings: z.object({}),
  keys: 'none',
  paceMs: 0,
  creditPrice: 0,
  fail: () => new HeadgateError('internal', 'Headgate itself has no API to fail.'),
};

export const readyOwnReader: ReadyProvider = { provider: ownReader, settings: {}, keys: [], paceMs: 0 };
