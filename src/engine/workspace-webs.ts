import { statSync } from 'node:fs';
import { snapshotPaths } from '../config/web-folder.ts';
import type { Config } from '../config/schema.ts';
import { scopedClock, currentScope, type CallScope } from '../core/scope.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { Accounts, Workspace } from '../store/accounts.ts';
import { createKnown } from './known.ts';
import type { OpenedWeb, RecordedWeb } from './web.ts';

interface WebChoice {
  paths: string[];
  asOf: string | undefined;
}

interface OwnWeb {
  opened: RecordedWeb;
  /** How many calls use it. */
  calls: number;
}

/** How many webs of workspaces stay open that no call uses. */
const IDLE_MAX = 32;

/**
 * The web of everybody, and for workspaces that are set to a snapshot that snapshot. Each has one of its own, because the calls of a
 * replay are counted. A workspace whose snapshot cannot be used is refused: it never gets the live web instead.
 */
export function withWorkspaceWebs(
  base: OpenedWeb,
  options: {
    folder: Config['web']['folder'];
    accounts: Pick<Accounts, 'workspaces'>;
    clock: Clock;
    open(choice: WebChoice): RecordedWeb;
  },
): OpenedWeb {
  const { folder, accounts, clock, open } = options;
  const known = createKnown<Workspace | undefined>(clock);
  const webs = new Map<string, OwnWeb>();
  const scopes = new WeakMap<CallScope, OpenedWeb>();
  const current = (): OpenedWeb => {
    const scope = currentScope();
    return (scope && scopes.get(scope)) ?? base;
  };
  const closeIdle = async (): Promise<void> => {
    const idle = [...webs].filter(([, { calls }]) => calls === 0);
    for (const [name, { opened }] of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) {
      webs.delete(name);
      await opened.close();
    }
  };
  /** The web of a workspace, for one call more. */
  const take = async (workspace: Workspace, names: string): Promise<OwnWeb> => {
    let name = '';
    try {
      const paths = snapshotPaths(folder, names);
      const asOf = workspace.asOf ?? undefined;
      const times = paths.map((path) => statSync(path).mtimeMs);
      // A file that was replaced, or set again, is replayed from its beginning.
      name = JSON.stringify([workspace.id, workspace.webSet, asOf, paths, times]);
      const taken = webs.get(name) ?? { opened: open({ paths, asOf }), calls: 0 };
      taken.calls += 1;
      // The one that was used last is closed last.
      webs.delete(name);
      webs.set(name, taken);
      await taken.opened.load();
      return taken;
    } catch (cause) {
      webs.delete(name);
      throw unusable(names, cause);
    }
  };
  return {
    ...base,
    web: { exchange: (request, kind, send) => current().web.exchange(request, kind, send) },
    clock: scopedClock(clock),
    enter: async (name, input, work, id) => {
      if (currentScope() !== undefined) return work();
      const workspace =
        id === undefined ? undefined : await known(id, async () => (await accounts.workspaces([id]))[0]);
      if (workspace === undefined || workspace.web === null)
        return base.enter === undefined ? work() : base.enter(name, input, work);
      const taken = await take(workspace, workspace.web);
      const inside = (): ReturnType<typeof work> => {
        const scope = currentScope();
        if (scope !== undefined) scopes.set(scope, taken.opened);
        return work();
      };
      try {
        return await taken.opened.enter(name, input, inside);
      } finally {
        taken.calls -= 1;
        await closeIdle();
      }
    },
    isolated: (services) => current().isolated?.(services) ?? services,
    close: async () => {
      await Promise.all([...webs.values()].map(({ opened }) => opened.close()));
      await base.close();
    },
  };
}

const unusable = (names: string, cause: unknown): HeadgateError =>
  new HeadgateError('not_configured', own`The snapshot ${named(names)} of this workspace cannot be used.`, {
    remediation: 'Ask the operator of the gateway to check the file in the folder of `[web] folder`.',
    cause,
  });
