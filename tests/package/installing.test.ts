import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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

  test('server.json asks for every variable that an address or a header of a remote names', () => {
    const { remotes } = readJson('server.json') as {
      remotes: { url: string; variables: object; headers: { value: string; variables: object }[] }[];
    };
    expect(remotes).toHaveLength(1);
    for (const { url, variables, headers } of remotes)
      for (const [text, known] of [[url, variables] as const, ...headers.map((one) => [one.value, one.variables] as const)])
        expect([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1])).toEqual(Object.keys(known));
  });

  test('the plugin for Claude and the extension for Gemini start the command that the clone installs', async () => {
    const plugin = 'packaging/claude-plugin';
    const { plugins } = readJson('.claude-plugin/marketplace.json') as { plugins: { name: string; source: string }[] };
    expect(plugins).toMatchObject([{ name: 'headgate', source: `./${plugin}` }]);
    expect(readJson(`${plugin}/.claude-plugin/plugin.json`)).toMatchObject({ name: 'headgate', version: manifest['version'] });
    const gemini = readJson('gemini-extension.json');
    expect(gemini).toMatchObject({ name: 'headgate', version: manifest['version'] });
    const { mcpServers } = readJson(`${plugin}/.mcp.json`) as { mcpServers: Record<string, { command: string; args: string[] }> };
    expect(gemini['mcpServers']).toEqual(mcpServers);
    const { command = '', args = [] } = mcpServers['headgate'] ?? {};
    expect(command).toBe(Object.keys(manifest['bin'] as object)[0]);
    const main = join(root, Object.values(manifest['bin'] as Record<string, string>)[0] ?? '');
    const offered = await listTools(process.execPath, [main, ...args], folder, {});

    // The skill names only tools that there are, and its head is what hosts read.
    const skill = readFileSync(join(root, String(gemini['contextFileName'])), 'utf8');
    const [, name, description = ''] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(skill) ?? [];
    expect(String(gemini['contextFileName'])).toBe(`${plugin}/skills/${name}/SKILL.md`);
    expect(description.length).toBeLessThan(1_024);
    const named = [...skill.matchAll(/`([a-z_]+)`/g)].map((match) => match[1] ?? '');
    const fields = ['time_range', 'include_domains', 'query', 'cursor'];
    expect(named.filter((one) => !offered.includes(one) && !fields.includes(one))).toEqual([]);
    expect(offered.filter((one) => !named.includes(one))).toEqual([]);
  });

  test('the .mcpb bundle holds a server that its manifest starts', async () => {
    // A dry run of a release makes it, among the rest of what is published.
    const said = execFileSync(process.execPath, ['scripts/release.mjs', '--dry-run', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(said).toMatch(/left out: run every check and test[^]*left out: tag[^]*left out: publish .*--provenance/);
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(sums.map((line) => line.split('  ')[1]?.replace(String(manifest['version']), 'X'))).toEqual([
      'NOTES.md',
      'headgate-X.cdx.json',
      'headgate-X.mcpb',
      'headgate-X.tgz',
      'provenance.json',
    ]);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      expect([name, createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')]).toEqual([name, sum]);
    }
    const notes = readFileSync(join(folder, 'NOTES.md'), 'utf8');
    expect(notes).toContain(`# Headgate ${String(manifest['version'])}\n\n`);
    expect(notes).not.toMatch(/^## /m);
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
