import type { Context } from 'hono';
import type { Handshakes } from './handshakes.ts';
import type { History } from './history.ts';
import type { OpenRequests } from './open-requests.ts';
import type { GatewayParts } from './gateway.ts';
import type { Identify } from './identify.ts';
import type { Metrics } from './metrics.ts';

/** What routes have access to. */
export interface GatewayContext extends GatewayParts {
  identify: Identify;
  openRequests: OpenRequests;
  metrics: Metrics;
  /** The last sign-ins of clients. */
  handshakes: Handshakes;
  /** The last day in minutes, for the console's charts. */
  history: History;
  /** The client's address, for rate limits only. */
  addressOf(context: Context): string;
}
