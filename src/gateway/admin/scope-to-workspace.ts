import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { GatewayContext } from '../door/context.ts';
import type { AdminInput } from './route.ts';

type Named = { workspace?: string | undefined };

/** Limits a list or report to this workspace. */
export async function ofQuery<Query extends Named, Body>(
  input: AdminInput<Query, Body>,
  workspace: string,
): Promise<AdminInput<Query, Body>> {
  checkNamed(input.query.workspace, workspace);
  return { ...input, query: { ...input.query, workspace } };
}

/** Limits creation to this workspace. */
export async function ofBody<Query, Body extends Named>(
  input: AdminInput<Query, Body>,
  workspace: string,
): Promise<AdminInput<Query, Body>> {
  checkNamed(input.body.workspace, workspace);
  return input;
}

/** Limits access by ID: records of other workspaces are not found. */
export const ofRecord =
  (find: (id: string, gateway: GatewayContext) => Promise<{ workspace: string }>, what: string) =>
  async <Input extends AdminInput<unknown, unknown>>(
    input: Input,
    workspace: string,
    gateway: GatewayContext,
  ): Promise<Input> => {
    const id = input.params['id'] ?? '';
    if ((await find(id, gateway)).workspace === workspace) return input;
    throw new HeadgateError('not_found', own`There is no ${named(what)} ${named(id)}.`);
  };

function checkNamed(named: string | undefined, workspace: string): void {
  if (named === undefined || named === workspace) return;
  throw new HeadgateError('forbidden', 'workspace: this key can administer only its own workspace.', {
    remediation: 'Leave workspace out, or use the admin token.',
  });
}
