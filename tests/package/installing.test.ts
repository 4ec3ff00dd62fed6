import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { listTools } from '../support/mcp-client.ts';
import { root } from '../support/packed.ts';

/** What hosts and registries read: generated files agree with the package, the bundle runs. */
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;
const manifest = readJson('package.json');
const folder = mkdtempSync(join(tmpdir(), 'headgate-mcpb-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('installing', () => {
  test('server.json is about this package in this version', () => {
    const entry = readJson('server.json') as { name: string; version: string; packages: object[] };
    expect(entry).toMatchObject({ name: manifest['mcpName'], version: manifest['version'] });
    expect(entry.packages).toMatchObject([{ identifier: 'headgate', version: manifest['version'] }]);
  });

  test('the .mcpb bundle holds a server that its manifest starts', async () => {
    execFileSync(process.execPath, ['scripts/make-mcpb.mjs', folder], { cwd: root, stdio: 'pipe' });
    const archive = readFileSync(join(folder, `headgate-${String(manifest['version'])}.mcpb`));
    for (const { name, bytes } of unzip(archive)) {
      mkdirSync(dirname(join(folder, 'opened', name)), { recursive: true });
      writeFileSync(join(folder, 'opened', name), bytes);
    }
    const bundle = JSON.parse(readFileSync(join(folder, 'opened/manifest.json'), 'utf8')) as {
      tools: { name: string }[];
      server: { mcp_config: { args: string[]; env: Record<string, string> } };
    };
    const { args, env } = bundle.server.mcp_config;
    const here = args.map((arg) => arg.replace('${__dirname}', join(folder, 'opened')));
    const unset = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(await listTools(process.execPath, here, folder, unset)).toEqual(
      bundle.tools.map(({ name }) => name),
    );
  }, 120_000);
});

function* unzip(archive: Buffer): Generator<{ name: string; bytes: Buffer }> {
  let at = 0;
  while (archive.readUInt32LE(at) === 0x04034b50) {
    const [packed, nameBytes] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
    const start = at + 30 + nameBytes;
    const name = archive.toString('utf8', at + 30, start);
    yield { name, bytes: inflateRawSync(archive.subarray(start, start + packed)) };
    at = start + packed;
  }
}
