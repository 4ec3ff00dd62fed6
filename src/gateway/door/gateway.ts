import type { Loaded, Origins } from '../../config/load.ts';
import type { ProviderKeys } from '../../config/provider-keys.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Services } from '../../operations/services.ts';
import type { LaunchCommand } from '../../mcp/launch-command.ts';
import type { Store } from '../../store/store.ts';

/** The dependencies of the HTTP gateway. */
export interface GatewayParts {
  services: Services;
  store: Store;
  operations: Operation[];
  /** The token of the admin API; without one the admin API is disabled. */
  adminToken?: string;
  /** The origin of each configuration value, for the admin API. */
  origins?: Origins;
  /** The configuration file, for changes in the console. */
  settingsFile?: Loaded['file'] | undefined;
  /** Where the console keeps keys of providers. */
  providerKeys?: ProviderKeys | undefined;
  /** How this installation is started on this machine. */
  launch?: LaunchCommand;
}
