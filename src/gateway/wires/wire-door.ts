import type { Wire } from '../door/wire.ts';

/** An operation in the form of another API than Tavily's, at that API's addresses. */
export interface WireDoor extends Wire {
  /** Whose API it is. */
  api: string;
  routes: WireRoute[];
}

export interface WireRoute {
  method: 'GET' | 'POST';
  path: string;
  /** Only bodies of this type; others are for the next route. */
  contentType?: string;
  /** The path contains the key, which the operator has to allow. */
  keyInPath?: boolean;
}
