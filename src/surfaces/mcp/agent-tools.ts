import type { AgentTool } from '../../bridge/tool.ts';
import { createCall } from '../../operations/perform.ts';
import type { Services } from '../../operations/services.ts';
import { toInputSchema } from '../../tools/input-schema.ts';
import type { Toolset } from '../../tools/tool.ts';

/** Our tools in the bridge's shape: the product is served by the same code as everybody's tools. */
export function toAgentTools(toolset: Toolset, services: Services): AgentTool[] {
  return toolset.tools.map((tool) => ({
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    inputSchema: toInputSchema(tool.input),
    validates: true,
    execute: async (input, context) => {
      const call = createCall(services, {
        signal: context.signal,
        progress: (progress) => context.progress?.(progress.done, progress.total, progress.message),
      });
      const result = await tool.run(input, call, services);
      return {
        content: [{ type: 'text', text: result.text }],
        ...(result.isError === true ? { isError: true } : {}),
        ...(result.meta === undefined ? {} : { _meta: { 'headgate/result': result.meta } }),
      };
    },
  }));
}
