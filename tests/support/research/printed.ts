import { defaultTools } from '../../../src/toolsets/default/default.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { engineOf } from '../../../src/toolsets/engine.ts';
import type { WebPage } from '../page-web.ts';
import { createResearchWorld, type ResearchWorld } from './world.ts';

/** What the research tool prints about a web of a few pages. */
export async function printed(
  query: string,
  pages: WebPage[],
  config: Record<string, unknown> = {},
): Promise<string> {
  const world = await createResearchWorld({ pages, config });
  try {
    return await printedBy(world, world.engine, query);
  } finally {
    await world.close();
  }
}

/** What the research tool of an engine prints. */
export async function printedBy(world: ResearchWorld, engine: Engine, query: string): Promise<string> {
  const tool = defaultTools.tools.find(({ name }) => name === 'research');
  if (tool === undefined) throw new Error('There is no research tool.');
  return (await tool.run({ query }, world.call(), engineOf(engine.services))).text;
}

/** What stands under a heading of a report. */
export const section = (text: string, name: string): string =>
  text
    .split(new RegExp(`^#+ ${name}$`, 'm'))[1]
    ?.split(/^#/m)[0]
    ?.trim() ?? '';

export const NO_CONTRADICTION =
  'No contradiction was found between statements in similar words. Quotes that disagree in other words are not marked here.';
