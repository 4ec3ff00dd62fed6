import { z } from 'zod';

/** The setting that points a provider at another server: a mirror, a proxy or the simulator. */
export const baseUrl = (fallback: string) =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .default(fallback);
