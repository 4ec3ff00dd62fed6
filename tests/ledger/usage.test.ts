import { sized } from '../support/sized.ts';
import { usageContract } from '../support/ledger/usage-contract.ts';
import { sqliteEngine } from '../support/ledger/world.ts';

usageContract(
  sqliteEngine,
  sized('histories whose usage is compared with the ledger', { small: 12, large: 1_000, full: 1_000 }),
);
