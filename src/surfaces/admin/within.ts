import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { HttpWorld } from '../http/world.ts';
import type { AdminInput } from './route.ts';

type Named = { workspace?: string | undefined };

/** A list or a report, of this workspace whether it was named or not. */
export async function ofQuery<Query extends Named, Body>(
  input: AdminInput<Query, Body>,
  workspace: string,
): Promise<AdminInput<Query, Body>> {
  checkNamed(input.query.workspace, workspace);
  return { ...input, query: { ...input.query, workspace } };
}

/** Something new, in this workspace only. */
export async function ofBody<Query, Body extends Named>(
  input: AdminInput<Query, Body>,
  workspace: string,
): Promise<AdminInput<Query, Body>> {
  checkNamed(input.body.workspace, workspace);
  return input;
}

/** One thing by its id: what belongs to somebody else does not exist. */
export const ofRecord =
  (find: (id: string, world: HttpWorld) => Promise<{ workspace: string }>, what: string) =>
  async <Input extends AdminInput<unknown, unknown>>(
    input: Input,
    workspace: string,
    world: HttpWorld,
  ): Promise<Input> => {
    const id = input.params['id'] ?? '';
    if ((await find(id, world)).workspace === workspace) return input;
    throw new HeadgateError('not_found', own`There is no ${named(what)} ${named(id)}.`);
  };

function checkNamed(named: string | undefined, workspace: string): void {
  if (named === undefined || named === workspace) return;
  throw new HeadgateError('forbidden', 'workspace: this key administers its own workspace only.', {
    remediation: 'Leave workspace out, or use the admin token.',
  });
}
