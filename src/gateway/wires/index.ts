import { firecrawlScrape, firecrawlSearch } from './firecrawl.ts';
import { jinaDoor } from './jina.ts';
import { openWebuiLoader, openWebuiSearch } from './open-webui.ts';
import { searxngDoor } from './searxng.ts';
import type { WireDoor } from './wire-door.ts';

/** Every API beside Tavily's that the gateway speaks. */
export const wireDoors: WireDoor[] = [
  searxngDoor,
  openWebuiSearch,
  openWebuiLoader,
  firecrawlSearch,
  firecrawlScrape,
  jinaDoor,
];
