import type { LaunchCommand } from './launch-command.ts';

/** A server that a client starts, or that it reaches over HTTP. */
export type McpServer = LaunchCommand | { url: string; headers: Record<string, string> };

export interface ClientConfig {
  id: string;
  title: string;
  /** Where the configuration belongs. */
  file: string;
  text: string;
  /** An equivalent shell command, for clients that have one. */
  command?: string;
}

const NAME = 'headgate';

const CLIENTS: Record<string, (server: McpServer) => Omit<ClientConfig, 'id'>> = {
  claude: (server) => ({
    title: 'Claude',
    file: '.mcp.json',
    text: json({ mcpServers: { [NAME]: 'url' in server ? { type: 'http', ...server } : server } }),
    command:
      'url' in server
        ? `claude mcp add --transport http ${NAME} ${quoted(server.url)}${headerFlags(server.headers)}`
        : `claude mcp add ${NAME}${envFlags('-e', server)} -- ${shellLine(server)}`,
  }),
  cursor: (server) => ({
    title: 'Cursor',
    file: '~/.cursor/mcp.json',
    text: json({ mcpServers: { [NAME]: server } }),
  }),
  vscode: (server) => ({
    title: 'VS Code',
    file: '.vscode/mcp.json',
    text: json({ servers: { [NAME]: { type: 'url' in server ? 'http' : 'stdio', ...server } } }),
  }),
  codex: (server) => ({
    title: 'Codex',
    file: '~/.codex/config.toml',
    text: 'url' in server ? codexHttp(server) : codexStdio(server),
    ...('url' in server
      ? {}
      : { command: `codex mcp add ${NAME}${envFlags('--env', server)} -- ${shellLine(server)}` }),
  }),
  gemini: (server) => ({
    title: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    text: json({
      mcpServers: { [NAME]: 'url' in server ? { httpUrl: server.url, headers: server.headers } : server },
    }),
  }),
  zed: (server) => ({
    title: 'Zed',
    file: '~/.config/zed/settings.json',
    text: json({ context_servers: { [NAME]: server } }),
  }),
};

/** The values of `--print-config`. */
export const CLIENT_IDS = Object.keys(CLIENTS);

/** The configuration of each client for this server. */
export const clientConfigs = (server: McpServer): ClientConfig[] =>
  Object.entries(CLIENTS).map(([id, configOf]) => ({ id, ...configOf(server) }));

/** The command as a shell line. */
export const shellLine = ({ command, args }: LaunchCommand): string =>
  [command, ...args].map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

const headerFlags = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => ` --header ${quoted(`${name}: ${value}`)}`)
    .join('');

const envFlags = (flag: string, { env = {} }: LaunchCommand): string =>
  Object.entries(env)
    .map(([name, value]) => ` ${flag} ${quoted(`${name}=${value}`)}`)
    .join('');

const codexStdio = ({ command, args, env }: LaunchCommand): string =>
  [
    `[mcp_servers.${NAME}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    ...(env === undefined ? [] : [`env = ${tomlTable(env)}`]),
  ].join('\n');

const tomlTable = (entries: Record<string, string>): string =>
  `{ ${Object.entries(entries)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')} }`;

const codexHttp = ({ url, headers }: { url: string; headers: Record<string, string> }): string =>
  `[mcp_servers.${NAME}]\nurl = ${JSON.stringify(url)}\nhttp_headers = ${tomlTable(headers)}`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);
