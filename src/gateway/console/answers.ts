import type { AdminAnswer } from '../admin/mount.ts';

/** What the console's pages get from `read` and `write`: of the admin API exactly what its routes answer. */
export type Answer<Method, Path> = Path extends `/admin${infer Asked}`
  ? AdminAnswer<Method, Asked>
  : // The console's own routes are written with the pages.
    // oxlint-disable-next-line typescript/no-explicit-any
    any;
export type Write = 'POST' | 'PATCH' | 'DELETE';
