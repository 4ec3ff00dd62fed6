import type { Context } from 'hono';
import type { History } from '../console/history.ts';
import type { Flights } from './flights.ts';
import type { GatewayParts } from './gateway.ts';
import type { Identify } from './identify.ts';
import type { Metrics } from './metrics.ts';
import type { Recent } from './recent.ts';

/** Everything that routes use. */
export interface HttpWorld extends GatewayParts {
  identify: Identify;
  flights: Flights;
  metrics: Metrics;
  recent: Recent;
  /** The last day in minutes, for the console's charts. */
  history: History;
  /** The client's address, for rate limits only. */
  addressOf(context: Context): string;
}
