import type { Call } from '../../core/call.ts';
import type { Services } from '../../operations/services.ts';
import { countTokens } from '../../operations/fit.ts';
import { toolsets } from '../../tools/index.ts';
import { engineOf } from '../../tools/engine.ts';

/** What a model would have read, and what it costs of its context. */
export interface McpText {
  tool: string;
  toolset: string;
  text: string;
  tokens: number;
}

type Input = Record<string, unknown>;

/** Which tool stands for an operation, and how its arguments are made from the operation's. */
const TOOLS: Record<string, { toolset: string; tool: string; adapt(input: Input): Input }> = {
  search: { toolset: 'default', tool: 'web_search', adapt: (input) => input },
  extract: {
    toolset: 'default',
    tool: 'fetch_url',
    adapt: ({ urls, ...input }) => ({ ...input, url: [urls].flat()[0] }),
  },
  answer: { toolset: 'default', tool: 'instant_answer', adapt: (input) => input },
  crawl: { toolset: 'tavily', tool: 'tavily_crawl', adapt: (input) => input },
  map: { toolset: 'tavily', tool: 'tavily_map', adapt: (input) => input },
};

/** Renders an answer that is already there as its tool does: nothing is asked again, so nothing is paid again. */
export async function mcpTextOf(
  operation: string,
  asked: { input: Input; output: unknown },
  call: Call,
  services: Services,
): Promise<McpText | undefined> {
  const entry = TOOLS[operation];
  const tool = toolsets
    .find((toolset) => toolset.id === entry?.toolset)
    ?.tools.find((one) => one.name === entry?.tool);
  if (entry === undefined || tool === undefined) return undefined;
  const known = Object.fromEntries(
    Object.entries(entry.adapt(asked.input)).filter(([name]) => name in tool.input.shape),
  );
  const same = (): Promise<never> => Promise.resolve(asked.output as never);
  const engine = { ...engineOf(services), search: same, extract: same, answer: same, crawl: same, map: same };
  const { text } = await tool.run(known, call, engine);
  return { tool: entry.tool, toolset: entry.toolset, text, tokens: await countTokens(text) };
}
