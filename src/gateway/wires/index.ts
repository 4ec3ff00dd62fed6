import { searxngDoor } from './searxng.ts';
import type { WireDoor } from './wire-door.ts';

/** Every API beside Tavily's that the gateway speaks. */
export const wireDoors: WireDoor[] = [searxngDoor];
