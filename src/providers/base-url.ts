import { z } from 'zod';

/** The address of a server that has no default, without a trailing slash, so that paths can be appended. */
export const requiredUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, ''));

/** The setting that points a provider at another server: a mirror, a proxy or the simulator. */
export const baseUrl = (fallback: string) => requiredUrl().default(fallback);
