import type { ResearchPhase } from '../contract/research.ts';
import type { Progress } from '../core/call.ts';
import { plural } from '../core/text.ts';
import type { ResearchEvent } from '../contract/research-event.ts';

const WORDS: Record<ResearchPhase, string> = {
  planning: 'Planning',
  gathering: 'Searching',
  extraction: 'Reading pages',
  analysis: 'Studying what was found',
  synthesis: 'Writing the report',
  refinement: 'Looking for gaps',
  done: 'Done',
};

/** The progress that MCP clients and terminals show for an event. */
export function progressOf(event: ResearchEvent): Progress | undefined {
  const message = messageOf(event);
  const warning = event.type === 'warning' ? { isWarning: true } : {};
  return message === undefined ? undefined : { done: event.sequence, message, ...warning };
}

/** The message of an event. */
export function messageOf(event: ResearchEvent): string | undefined {
  switch (event.type) {
    case 'phase':
      return `${WORDS[event.phase]}${event.iteration > 1 ? ` (iteration ${event.iteration})` : ''}`;
    case 'plan':
      return `${plural(event.queries.length, 'question')} to search`;
    case 'search':
      return event.outcome === 'ok' || event.outcome === 'empty'
        ? `${plural(event.sources.length, 'result')} for “${event.query}”`
        : `“${event.query}”: ${event.outcome}, ${plural(event.sources.length, 'result')}`;
    case 'extract':
      return `${event.read} of ${plural(event.asked, 'page')} read`;
    case 'findings':
      return `${plural(event.findings, 'finding')}, ${plural(event.conflicts, 'conflict')}, ${plural(event.gaps, 'gap')} open`;
    case 'warning':
      return event.message;
    case 'done':
      return undefined;
  }
}
