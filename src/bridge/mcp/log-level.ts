/** From the least to the most severe. */
const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type McpLogLevel = (typeof LOG_LEVELS)[number];

/** The level that a client has set; undefined before it has. */
export interface ClientLogLevel {
  level: McpLogLevel | undefined;
}

/** Where clients of the 2026 revision name it, in every request of which they want messages. */
export const LEVEL_CLAIM = 'io.modelcontextprotocol/logLevel';

export const isLogLevel = (value: unknown): value is McpLogLevel =>
  LOG_LEVELS.some((level) => level === value);

/** Whether a message is sent: none to clients that have not asked for any. */
export const isWanted = (level: McpLogLevel, { level: least }: ClientLogLevel): boolean =>
  least !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
