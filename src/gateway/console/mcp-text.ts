import type { Ctx } from '../../routing/services.ts';
import type { Services } from '../../operations/services.ts';
import { countTokens } from '../../rank/tokens.ts';
import { toolsets } from '../../toolsets/index.ts';
import { engineOf } from '../../toolsets/engine.ts';

/** A tool result as a model would read it, and its size in tokens. */
export interface McpText {
  tool: string;
  toolset: string;
  text: string;
  tokens: number;
}

type Input = Record<string, unknown>;

/** The tool for an operation, and how to build its arguments. */
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

/** Renders an existing answer as its tool does, without another call. */
export async function mcpTextOf(
  operation: string,
  asked: { input: Input; output: unknown },
  { call, services }: Ctx<Services>,
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
