import type { AgentTool } from '../tool.ts';

/**
 * The responses to `tools/list`, `initialize` and `server/discover` as pure functions of the tools. A front
 * that answers before the MCP SDK is loaded takes its table from here; a test compares the two.
 */
export interface ServerIdentity {
  name: string;
  version: string;
  title?: string;
  instructions?: string;
  /** What the server has besides tools. */
  capabilities?: Record<string, object>;
}

/** The revisions that are negotiated with `initialize`, best first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;
/** The revisions that have their version in every request. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

export const serverCapabilities = ({ capabilities }: Pick<ServerIdentity, 'capabilities'>) => ({
  tools: {},
  ...capabilities,
});

export type Era = 'legacy' | 'modern';

/** A tool as in `tools/list`: the schemas as given, nothing added or removed. */
export function listedTool(tool: AgentTool): Record<string, unknown> {
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
    ...(tool.annotations !== undefined && { annotations: tool.annotations }),
    ...(tool._meta !== undefined && { _meta: tool._meta }),
  };
}

/** The result of `tools/list`, in the order of the tools. */
export function listResult(
  tools: readonly AgentTool[],
  identity: ServerIdentity,
  era: Era = 'legacy',
): Record<string, unknown> {
  return completed({ tools: tools.map(listedTool) }, identity, era);
}

/** The revision that `initialize` settles on. */
export const legacyVersion = (requested: unknown): string =>
  LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0];

/** A list as clients of an era get it. */
export const completed = (
  listed: Record<string, unknown>,
  identity: ServerIdentity,
  era: Era,
): Record<string, unknown> => (era === 'legacy' ? listed : { ...listed, ...modernFields(identity) });

/** The result of `initialize` for the revision that the client requested. */
export function initializeResult(
  identity: ServerIdentity,
  requestedVersion?: string,
): Record<string, unknown> {
  return {
    protocolVersion: legacyVersion(requestedVersion),
    capabilities: serverCapabilities(identity),
    serverInfo: serverInfo(identity),
    ...(identity.instructions && { instructions: identity.instructions }),
  };
}

/** The result of `server/discover`. */
export function discoverResult(identity: ServerIdentity): Record<string, unknown> {
  return {
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: serverCapabilities(identity),
    ...(identity.instructions && { instructions: identity.instructions }),
    ...modernFields(identity),
  };
}

/** Name, version and title, as clients see them. */
export const serverInfo = ({
  name,
  version,
  title,
}: ServerIdentity): { name: string; version: string; title?: string } => ({
  name,
  version,
  ...(title !== undefined && { title }),
});

/**
 * Since 2026-07-28 every result says that it is complete, how long it may be cached, and which server made
 * it.
 */
const modernFields = (identity: ServerIdentity) => ({
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { [SERVER_INFO]: serverInfo(identity) },
});
