// What hosts and registries read before anybody reads the README: server.json and the manifest of the .mcpb bundle. One list
// of variables, written down once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providers } from '../../src/providers/index.ts';
import { toolsets } from '../../src/toolsets/index.ts';

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  keywords: string[];
  mcpName: string;
  engines: { node: string };
  bin: Record<string, string>;
}

const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
) as Manifest;
const TITLE = 'Headgate';
const SUMMARY = 'The gate between AI agents and the web: search, read and research over any provider.';

/** All of them are optional: without any, DuckDuckGo is asked and pages are read by Headgate itself. */
const VARIABLES = providers.flatMap(({ title, keys, keyVariable, urlVariable }) => [
  ...(urlVariable === undefined
    ? []
    : [
        {
          name: urlVariable,
          title: `${title} address`,
          description: `The address of your ${title} server. Turns it on.`,
          isSecret: false,
        },
      ]),
  ...(keyVariable === undefined
    ? []
    : [
        {
          name: keyVariable,
          title: `${title} key`,
          description:
            keys === 'required' ? `Your ${title} API key. Turns it on.` : `Your ${title} API key. Optional.`,
          isSecret: true,
        },
      ]),
]);

export const clientFiles = (): Record<string, string> => ({
  'server.json': json(registryEntry()),
  'packaging/mcpb/manifest.json': json(bundleManifest()),
  'packaging/claude-plugin/.claude-plugin/plugin.json': json({
    name: manifest.name,
    version: manifest.version,
    description: SUMMARY,
    author: AUTHOR,
    license: manifest.license,
    keywords: manifest.keywords,
  }),
  'packaging/claude-plugin/.mcp.json': json({ mcpServers: { headgate: COMMAND } }),
  '.claude-plugin/marketplace.json': json({
    name: manifest.name,
    owner: AUTHOR,
    metadata: { description: SUMMARY },
    plugins: [{ name: manifest.name, source: './packaging/claude-plugin', description: SUMMARY }],
  }),
  'gemini-extension.json': json({
    name: manifest.name,
    version: manifest.version,
    description: SUMMARY,
    mcpServers: { headgate: COMMAND },
    contextFileName: 'packaging/claude-plugin/skills/web-research/SKILL.md',
  }),
});

const AUTHOR = { name: 'the Headgate authors' };
/** The command that `npm i -g .` installs. */
const COMMAND = { command: 'headgate', args: ['mcp'] };

/** For the official MCP registry; its name must be the `mcpName` of package.json. */
const registryEntry = (): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: manifest.mcpName,
  title: TITLE,
  description: SUMMARY,
  version: manifest.version,
  packages: [
    {
      registryType: 'npm',
      identifier: manifest.name,
      version: manifest.version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
      environmentVariables: VARIABLES.map(({ name, description, isSecret }) => ({
        name,
        description,
        isRequired: false,
        isSecret,
      })),
    },
  ],
  // Everybody runs a gateway of their own, so its host is asked for.
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{host}/mcp',
      variables: {
        host: {
          description: 'The host of your gateway.',
          isRequired: true,
          placeholder: 'search.example.com',
        },
      },
      headers: [
        {
          name: 'Authorization',
          description: 'A key of your workspace. Leave it out to sign in instead.',
          value: 'Bearer {key}',
          isSecret: true,
          variables: { key: { description: 'An API key.', isSecret: true } },
        },
      ],
    },
  ],
});

const bundleManifest = (): object => ({
  manifest_version: '0.3',
  name: manifest.name,
  display_name: TITLE,
  version: manifest.version,
  description: SUMMARY,
  long_description: manifest.description,
  author: AUTHOR,
  license: manifest.license,
  server: {
    type: 'node',
    entry_point: manifest.bin['headgate'],
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/${manifest.bin['headgate']}`, 'mcp'],
      env: Object.fromEntries(VARIABLES.map(({ name }) => [name, `\${user_config.${name.toLowerCase()}}`])),
    },
  },
  tools: toolsets
    .find(({ id }) => id === 'default')
    ?.tools.map(({ name, description }) => ({ name, description })),
  user_config: Object.fromEntries(
    VARIABLES.map(({ name, title, description, isSecret }) => [
      name.toLowerCase(),
      { type: 'string', title, description, sensitive: isSecret, required: false, default: '' },
    ]),
  ),
  compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: manifest.engines.node } },
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
