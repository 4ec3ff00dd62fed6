import { z } from 'zod';
import { OWN } from '../../config/names.ts';
import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** Headgate's own reading as a provider: it needs no key, has no API, and is free. */
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
