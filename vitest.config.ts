import { defineConfig } from 'vitest/config';

/** The tests in `src` need no build and no other process; those in `tests` test what `scripts/setup.mjs` has built. See CONTRIBUTING.md. */
const include = ['src/**/*.test.ts', 'tests/**/*.test.ts'];

/** For `--project unit`. A run of all tests is one project: of several, each would transform and load the source for itself. */
const unit = { extends: true as const, test: { name: 'unit', include: ['src/**/*.test.ts'] } };

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A condition that is waited for may take long on a busy machine; the default is a second.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    pool: 'forks',
    // Files share the modules of their process: loading the source again for each takes more time than most tests.
    isolate: false,
    // One more than the two cores: most system tests wait for a process, a page or a lease half of their time. A fourth gains nothing.
    maxWorkers: 3,
    // Most of what a test allocates is gone when it ends; with more room for it, a tenth less is spent on collecting it. Collecting in several
    // threads and compiling code anew that soon is not needed any more take a core from the other tests.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc', '--interrupt-budget=600000'],
    globalSetup: 'tests/support/setup.ts',
    ...(process.argv.includes('--project') ? { projects: [unit] } : { include }),
  },
});
