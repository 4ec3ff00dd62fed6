import { defineConfig } from 'vitest/config';

/** Two projects: `unit` needs no build and no other process; `system` tests what `scripts/setup.mjs` has built. See CONTRIBUTING.md. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Files share the modules of their process: loading the source again for each takes more time than most tests.
    isolate: false,
    // One more than the two cores: most system tests wait for a process, a page or a lease half of their time. A fourth gains nothing.
    maxWorkers: 3,
    globalSetup: 'tests/support/setup.ts',
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      { extends: true, test: { name: 'system', include: ['tests/**/*.test.ts'] } },
    ],
  },
});
