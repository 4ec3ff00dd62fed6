// The ledger's tests in the sizes of a release: `npm run test:soak`. It takes hours; everything it needs is in tests/ledger.
import { spawnSync } from 'node:child_process';

const result = spawnSync('npx', ['vitest', 'run', 'tests/ledger'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: {
    HEADGATE_SOAK_HISTORIES: '300000',
    HEADGATE_SOAK_KILLS: '200',
    HEADGATE_SOAK_LOSSES: '100',
    HEADGATE_SOAK_REPETITIONS: '1000',
    HEADGATE_SOAK_OPERATIONS: '1000000',
    ...process.env,
  },
});
process.exit(result.status ?? 1);
