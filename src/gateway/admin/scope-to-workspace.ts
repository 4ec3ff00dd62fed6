import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { GatewayContext } from '../door/context.ts';
import type { AdminInput, Reach } from './route.ts';

type Named = { workspace?: string | undefined };

/** Limits a list or report to these workspaces, or to the one that was asked for. */
export async function ofQuery<Query, Body>(
  input: AdminInput<Query, Body>,
  reach: Reach,
): Promise<AdminInput<Query, Body>> {
  const { workspace } = input.query as Named;
  if (workspace !== undefined) check(workspace, reach);
  return { ...input, within: workspace === undefined ? reach.may : [workspace] };
}

/** Limits changes to these workspaces; the body must name one of them. */
export async function ofBody<Query, Body extends Named>(
  input: AdminInput<Query, Body>,
  reach: Reach,
): Promise<AdminInput<Query, Body>> {
  check(input.body.workspace, reach);
  return input;
}

/** Limits access by ID: records of other workspaces are not found. */
export const ofRecord =
  (find: (id: string, gateway: GatewayContext) => Promise<{ workspace: string }>, what: string) =>
  async <Input extends AdminInput<unknown, unknown>>(
    input: Input,
    reach: Reach,
    gateway: GatewayContext,
  ): Promise<Input> => {
    const id = input.params['id'] ?? '';
    const { workspace } = await find(id, gateway);
    if (!reach.sees(workspace))
      throw new HeadgateError('not_found', own`There is no ${named(what)} ${named(id)}.`);
    check(workspace, reach);
    return input;
  };

function check(workspace: string | undefined, { may }: Reach): void {
  if (workspace !== undefined && may.includes(workspace)) return;
  throw new HeadgateError('forbidden', 'workspace: you may not do this in that workspace.', {
    remediation: 'Name a workspace of yours, or ask an owner of this gateway.',
  });
}
