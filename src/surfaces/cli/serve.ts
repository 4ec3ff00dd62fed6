import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadgateError } from '../../core/errors.ts';
import { operations } from '../../operations/index.ts';
import { setupLink } from '../console/setup-link.ts';
import { startHttp } from '../http/server.ts';
import type { Command } from './command.ts';

/** Runs the gateway until it is stopped. */
export const command: Command = {
  name: 'serve',
  usage: 'headgate serve',
  summary: 'Run the gateway.',
  run: async ({ say, signal, open }) => {
    const opened = await open({ isGateway: true });
    const { services, store } = opened;
    if (store === undefined) throw new HeadgateError('internal', 'A gateway has a store.');
    try {
      const admin = adminTokenOf(services.config.server.admin_token, opened.home);
      const { origins } = opened;
      const http = await startHttp({ services, store, operations, origins, adminToken: admin.token });
      const titles = services.providers.map((ready) => ready.provider.title);
      say(welcome(http.url, titles, admin.place));
      if (!(await store.sessions.anyAdmin())) say(await setupLink(store, http.url));
      // Holds that a crashed gateway left behind are given back while this one runs.
      const sweeping = opened.meter?.sweepUntil(signal);
      if (!signal.aborted) await once(signal, 'abort');
      await http.close();
      await sweeping;
      return 0;
    } finally {
      await opened.close();
    }
  },
};

/** The configured token, else one that is made once and kept where only this user can read it. */
function adminTokenOf(configured: string | undefined, home: string): { token: string; place: string } {
  if (configured !== undefined) return { token: configured, place: '[server] admin_token' };
  const place = join(home, 'admin-token');
  if (!existsSync(place)) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(place, `hg_admin_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  }
  const token = readFileSync(place, 'utf8').trim();
  if (token.length >= ADMIN_TOKEN_CHARS_MIN) return { token, place };
  throw new HeadgateError('invalid_config', `The admin token in ${place} is too short to be safe.`, {
    remediation: 'Delete the file; the next start makes a new one.',
  });
}

const ADMIN_TOKEN_CHARS_MIN = 16;

const welcome = (url: string, titles: string[], admin: string): string => `Headgate is ready on ${url}

  Search     curl ${url}/search -H 'content-type: application/json' -d '{"query":"rust programming"}'
  Tavily     point any Tavily client at ${url}
  MCP        ${url}/mcp, or put \`npx headgate mcp\` into your client's configuration
  Console    ${url}/
  Admin      ${url}/admin/status, with the token in ${admin}
  Health     ${url}/healthz
  Providers  ${titles.join(', ')}

Ctrl-C stops it.
`;
