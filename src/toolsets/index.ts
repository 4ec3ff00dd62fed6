import { agent } from './compat/agent/agent.ts';
import { chatgpt } from './compat/chatgpt/chatgpt.ts';
import { defaultTools } from './default/default.ts';
import { researchToolset } from './compat/research/research.ts';
import type { Toolset } from './tool.ts';
import { tavilyToolset } from './tavily/tavily.ts';
import { tavilyJa } from './compat/tavily-ja/tavily-ja.ts';
import { websearch } from './compat/websearch/websearch.ts';

/** Every toolset for `--tools`. */
export const toolsets: Toolset[] = [
  defaultTools,
  websearch,
  tavilyJa,
  agent,
  researchToolset,
  tavilyToolset,
  chatgpt,
];
