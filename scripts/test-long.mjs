// The whole suite in its full sizes: `npm run test:long [path …]`. It takes hours.
import { spawnSync } from 'node:child_process';

const result = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, HEADGATE_TEST_SIZE: 'full' },
});
process.exit(result.status ?? 1);
