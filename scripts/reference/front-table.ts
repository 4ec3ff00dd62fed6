import { listedTool, type ServerIdentity } from '../../src/bridge/mcp/answers.ts';
import { toInputSchema } from '../../src/toolsets/input-schema.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { identityOf } from '../../src/mcp/identity.ts';

/** The data of the front, generated from the tools: run `npm run generate` after changing one. */
export function frontTable(): Record<
  string,
  { identity: ServerIdentity; language?: string; tools: Record<string, unknown>[] }
> {
  return Object.fromEntries(
    toolsets.map((toolset) => [
      toolset.id,
      {
        identity: identityOf(toolset),
        ...(toolset.language === undefined ? {} : { language: toolset.language }),
        tools: toolset.tools.map((tool) =>
          listedTool({ ...tool, inputSchema: toInputSchema(tool.input), execute: () => undefined }),
        ),
      },
    ]),
  );
}
