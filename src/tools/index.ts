import type { Toolset } from './tool.ts';
import { websearch } from './websearch.ts';

/** Every toolset that `--tools` can name. */
export const toolsets: Toolset[] = [websearch];
