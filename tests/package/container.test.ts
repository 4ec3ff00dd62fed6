import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, WELL_KNOWN } from '../../src/config/load.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';

/** Dockerfile and compose.yaml, as far as they can be held to the code without a container engine. */
const root = resolve(import.meta.dirname, '../..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/\\\n\s*/g, ' ');
const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const compose = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      ports?: string[];
      stop_grace_period?: string;
      depends_on?: Record<string, unknown>;
      volumes?: string[];
    }
  >;
  configs: Record<string, { content: string }>;
  volumes: Record<string, unknown>;
};

/** What compose makes of `${NAME:-default}` and `${NAME:?complaint}` when the needed ones are set. */
const filled = (text: string): string =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) =>
    kind === '-' ? rest : `${name.toLowerCase()}-of-the-test`,
  );

const isOurs = (name: string): boolean => name.startsWith('HEADGATE_') || name in WELL_KNOWN;

describe('compose.yaml', () => {
  const gateways = ['gateway-1', 'gateway-2'].map((name) => compose.services[name]);

  test('sets only names that the configuration knows, with values that it takes', () => {
    for (const gateway of gateways) {
      const entries = Object.entries(gateway?.environment ?? {}).map(([name, value]) => [
        name,
        filled(value),
      ]);
      expect(entries.length).toBeGreaterThan(4);
      expect(entries.filter(([name]) => !isOurs(name ?? ''))).toEqual([]);
      // Unknown names and bad values are refused here.
      const { config } = loadConfig({ env: Object.fromEntries(entries) as Record<string, string> });
      expect(config.server.admin_token).toBe('headgate_admin_token-of-the-test');
      expect(config.providers['searxng']).toMatchObject({ base_url: 'http://searxng:8080', enabled: true });
    }
    expect(() => loadConfig({ env: { HEADGATE_SERVER__HOSTZ: 'x' } })).toThrow('did you mean server.host');
  });

  test('the gateways find their database under the names that it is created with', () => {
    const { POSTGRES_USER: user, POSTGRES_DB: database } = compose.services['postgres']?.environment ?? {};
    const url = new URL(filled(gateways[0]?.environment?.['HEADGATE_STORE__URL'] ?? ''));
    expect([url.username, url.hostname, url.pathname]).toEqual([user, 'postgres', `/${database}`]);
    expect(Object.keys(gateways[0]?.depends_on ?? {})).toEqual(['postgres', 'searxng']);
  });

  test('gateways have time to drain, ports of their own on this machine only, and volumes that exist', () => {
    const { server } = loadConfig({}).config;
    const ports = gateways.flatMap((gateway) => gateway?.ports ?? []);
    expect(ports).toEqual([`127.0.0.1:${server.port}:${server.port}`, `127.0.0.1:8788:${server.port}`]);
    for (const gateway of gateways) {
      expect(Number.parseInt(gateway?.stop_grace_period ?? '0', 10)).toBeGreaterThan(server.drain_seconds);
      for (const volume of gateway?.volumes ?? [])
        expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    }
  });

  test('SearXNG is set up to answer in JSON', () => {
    const settings = parse(filled(compose.configs['searxng']?.content ?? '')) as {
      search: { formats: string[] };
    };
    expect(settings.search.formats).toContain('json');
  });
});

describe('the Dockerfile', () => {
  test('copies what is there and what is not ignored', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(copied).toContain('src');
    for (const path of copied)
      expect([existsSync(join(root, path)), ignored.includes(path)]).toEqual([true, false]);
  });

  test('runs the program of the package as somebody who may do little, and sets names that exist', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: { headgate: string };
    };
    const entry = lines.find((line) => line.startsWith('ENTRYPOINT'))?.slice('ENTRYPOINT '.length) ?? '[]';
    expect(JSON.parse(entry)).toEqual(['node', manifest.bin.headgate]);
    expect(lines.findIndex((line) => line === 'USER node')).toBeLessThan(
      lines.findIndex((line) => line.startsWith('ENTRYPOINT')),
    );
    const env = Object.fromEntries(
      [...(lines.find((line) => line.startsWith('ENV')) ?? '').matchAll(/(\w+)=(\S+)/g)].map(
        ([, name, value]) => [name ?? '', value ?? ''],
      ),
    );
    const { server, library } = loadConfig({ env }).config;
    // What is installed in the image is ours, not the project of who runs it.
    expect([server.host, library.index_project]).toEqual(['0.0.0.0', false]);
    expect(lines.find((line) => line.startsWith('EXPOSE'))).toBe(
      `EXPOSE ${loadConfig({}).config.server.port}`,
    );
  });

  test('its health check passes on a gateway that runs, and fails where none does', async () => {
    const [, words = '[]'] = /HEALTHCHECK .*?CMD (\[.*\])/.exec(dockerfile) ?? [];
    const [command = '', ...args] = JSON.parse(words) as string[];
    expect(command).toBe('node');
    const gateway = await createTestGateway();
    const { url } = await gateway.listen();
    const check = (port: string): Promise<string> =>
      promisify(execFile)(process.execPath, args, { env: { HEADGATE_SERVER__PORT: port } }).then(
        () => 'healthy',
        () => 'unhealthy',
      );
    expect(await check(new URL(url).port)).toBe('healthy');
    await gateway.close();
    expect(await check(new URL(url).port)).toBe('unhealthy');
  });
});
