import { listedTool, type ServerIdentity } from '../../bridge/mcp/answers.ts';
import { toInputSchema } from '../../tools/input-schema.ts';
import { toolsets } from '../../tools/index.ts';
import { identityOf } from './identity.ts';

/** What the front answers from, made from the real tools: run `npm run generate` after changing one. */
export function frontTable(): Record<string, { identity: ServerIdentity; tools: Record<string, unknown>[] }> {
  return Object.fromEntries(
    toolsets.map((toolset) => [
      toolset.id,
      {
        identity: identityOf(toolset),
        tools: toolset.tools.map((tool) =>
          listedTool({ ...tool, inputSchema: toInputSchema(tool.input), execute: () => undefined }),
        ),
      },
    ]),
  );
}
