import type { Origins } from '../../config/load.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Services } from '../../operations/services.ts';
import type { LaunchCommand } from '../mcp/launch-command.ts';
import type { Store } from '../../store/store.ts';

/** What the HTTP surface is built from. */
export interface GatewayParts {
  services: Services;
  store: Store;
  operations: Operation[];
  /** The token of the admin API; without one the API is closed. */
  adminToken?: string;
  /** Where each configuration value came from, for the admin API. */
  origins?: Origins;
  /** How this installation is started on this machine. */
  launch?: LaunchCommand;
}
