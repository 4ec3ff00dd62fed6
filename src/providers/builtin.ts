import { z } from 'zod';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import type { Capability, Provider } from './provider.ts';

const builtIn = (id: string, title: Provider['title'], capabilities: readonly Capability[]): Provider => ({
  id,
  title,
  homepage: 'https://github.com/headgate/headgate',
  settings: () => z.object({}),
  keys: 'none',
  paceMs: 0,
  creditPrice: 0,
  builtIn: capabilities,
  fail: () => new HeadgateError('internal', own`${title} has no API to fail.`),
});

/** The reader and crawler of Headgate itself. */
export const builtinReader = builtIn('headgate', own`Headgate`, ['extract', 'crawl', 'map']);

/** The local library: `provider: "local"`, alone, in a chain or in a merge. */
export const libraryProvider = builtIn('local', own`Library`, ['search']);
