import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Contender {
  name: string;
  version: string;
  /** What `node` is given. */
  args: string[];
  env: Record<string, string>;
  /** A search that it can make in the simulator, by its tool and arguments. */
  search?: { name: string; arguments: Record<string, unknown> };
  /** Packages that npm puts on the disk, with their megabytes. */
  packages: number;
  megabytes: number;
}

/** The simulator, which the benchmark starts on this port. */
export const SIM_PORT = 8_893;
export const SIM = `http://127.0.0.1:${SIM_PORT}`;

/** Only these can be pointed at the simulator, so only these can be asked. */
const SEARCHES: Record<string, Contender['search']> = {
  'mcp-searxng': { name: 'searxng_web_search', arguments: { query: 'rust' } },
};

/** Other search servers for MCP, with what they need to start; nothing is ever asked of their services. */
const PEERS: Record<string, Record<string, string>> = {
  'tavily-mcp': { TAVILY_API_KEY: 'tvly-benchmark' },
  'exa-mcp-server': { EXA_API_KEY: 'benchmark' },
  'firecrawl-mcp': { FIRECRAWL_API_KEY: 'fc-benchmark' },
  'mcp-searxng': { SEARXNG_URL: `${SIM}/searxng` },
  '@brave/brave-search-mcp-server': { BRAVE_API_KEY: 'benchmark', BRAVE_MCP_TRANSPORT: 'stdio' },
  'duckduckgo-mcp-server': {},
};

const cache = join(tmpdir(), 'headgate-peers');

/** Installs the peers into a temporary folder that stays; one that does not install is left out, loudly. */
export const installPeers = (): Contender[] =>
  Object.entries(PEERS).flatMap(([name, env]) => {
    const found = install(name);
    if (found === undefined) console.error(`LEFT OUT: ${name} did not install.`);
    const search = SEARCHES[name];
    return found === undefined ? [] : [{ name, env, ...(search === undefined ? {} : { search }), ...found }];
  });

function install(name: string): Omit<Contender, 'name' | 'env'> | undefined {
  const folder = join(cache, name.replace('@', '').replace('/', '-'));
  const own = join(folder, 'node_modules', name);
  if (!existsSync(own)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const done = spawnSync('npm', ['install', ...options, name], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 300_000,
    });
    if (done.status !== 0) return undefined;
  }
  const { version, bin } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
    version: string;
    bin: string | Record<string, string>;
  };
  const entry = typeof bin === 'string' ? bin : Object.values(bin)[0];
  if (entry === undefined) return undefined;
  return { version, args: [join(own, entry)], ...weigh(join(folder, 'node_modules')) };
}

/** How many packages lie below a folder, and how many megabytes. */
export function weigh(folder: string): { packages: number; megabytes: number } {
  let [packages, bytes] = [0, 0];
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) walk(inner);
      else if (entry.isFile()) {
        bytes += statSync(inner).size;
        if (/node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(inner)) packages += 1;
      }
    }
  };
  walk(folder);
  return { packages, megabytes: Math.round(bytes / 1e5) / 10 };
}
