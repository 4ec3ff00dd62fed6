import type { Toolset } from './tool.ts';

/** Every toolset, loaded when it is served. */
export const loadToolset: Record<string, () => Promise<Toolset>> = {
  default: async () => (await import('./default/default.ts')).defaultTools,
  websearch: async () => (await import('./compat/websearch/websearch.ts')).websearch,
  'tavily-ja': async () => (await import('./compat/tavily-ja/tavily-ja.ts')).tavilyJa,
  agent: async () => (await import('./compat/agent/agent.ts')).agent,
  research: async () => (await import('./compat/research/research.ts')).researchToolset,
  tavily: async () => (await import('./tavily/tavily.ts')).tavilyToolset,
  chatgpt: async () => (await import('./compat/chatgpt/chatgpt.ts')).chatgpt,
};
