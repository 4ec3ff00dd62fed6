import { z } from 'zod';

/** The address of a server without a default, without a trailing slash. */
export const requiredUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, ''));

/** The setting that points a provider to another server: a mirror, a proxy or the simulator. */
export const baseUrl = (fallback: string) => requiredUrl().default(fallback);
