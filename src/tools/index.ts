import { agent } from './agent.ts';
import { defaultTools } from './default.ts';
import { research } from './research.ts';
import type { Toolset } from './tool.ts';
import { tavily } from './tavily.ts';
import { tavilyJa } from './tavily-ja.ts';
import { websearch } from './websearch.ts';

/** Every toolset that `--tools` can name. */
export const toolsets: Toolset[] = [defaultTools, websearch, tavilyJa, agent, research, tavily];
