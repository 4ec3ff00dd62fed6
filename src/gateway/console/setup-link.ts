import type { Config } from '../../config/schema.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Store } from '../../store/store.ts';

/** The address of the console, as far as this machine knows it. */
export const consoleUrl = ({ host, port, public_url: publicUrl }: Config['server']): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A one-time setup link. The token is in the fragment, which browsers do not send. */
export async function setupLink(store: Store, url: string): Promise<string> {
  const token = await store.sessions.createSetupToken();
  const minutes = LIMITS.setupLinkMs / 60_000;
  return `Choose the console’s password here (once, within ${minutes} minutes):\n\n  ${url}/#/setup/${token}\n\n`;
}
