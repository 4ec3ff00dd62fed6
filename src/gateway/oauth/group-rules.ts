import { GROUP_RULE } from '../../config/auth.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { includesRole, type HeldRoles, type Role } from '../../core/roles.ts';
import type { GatewayContext } from '../door/context.ts';

/** What the groups in somebody's claims give them by `[auth] groups`, in the order of the rules; undefined for nothing. */
export async function rolesFromGroups(
  claims: Record<string, unknown>,
  { store, services }: Pick<GatewayContext, 'store' | 'services'>,
): Promise<HeldRoles | undefined> {
  const { groups, groups_claim: claim } = services.config.auth;
  const held = groupsIn(claims, claim);
  const rules = groups.map(ruleOf).filter(({ group }) => group === '*' || held.has(group));
  if (rules.length === 0) return undefined;
  const known = await store.accounts.workspaces();
  let role: Role | null = null;
  const workspaces = new Map<string, Role>();
  for (const rule of rules) {
    const found = known.filter(({ id, name }) => id === rule.workspace || name === rule.workspace);
    const [one] = found;
    if (rule.workspace === undefined) role = higher(role, rule.role);
    else if (one !== undefined && found.length === 1)
      workspaces.set(one.id, higher(workspaces.get(one.id) ?? null, rule.role));
    // A name that several workspaces share gives access to none of them.
    else services.log.warn('group_rule_ignored', { workspace: rule.workspace, found: found.length });
  }
  if (role === null && workspaces.size === 0) return undefined;
  return { role, workspaces: [...workspaces].map(([workspace, own]) => ({ workspace, role: own })) };
}

const higher = (held: Role | null, other: Role): Role =>
  held !== null && includesRole(held, other) ? held : other;

function ruleOf(text: string): { group: string; workspace: string | undefined; role: Role } {
  const [, group = '', workspace, role] = GROUP_RULE.exec(text) ?? [];
  return { group, workspace, role: (role ?? 'viewer') as Role };
}

/** The groups in a claim, which may be nested: `realm_access.roles`. */
function groupsIn(claims: Record<string, unknown>, claim: string): Set<unknown> {
  const nested = () =>
    claim
      .split('.')
      .reduce<unknown>((here, name) => (here as Record<string, unknown> | null | undefined)?.[name], claims);
  return new Set([claims[claim] ?? nested()].flat().slice(0, LIMITS.groupsMax));
}

/** Gives somebody exactly these roles, or none. The last owner stays owner, so that the gateway has one. */
export async function applyRoles(
  { store, services, identify }: GatewayContext,
  name: string,
  held: HeldRoles = { role: null, workspaces: [] },
): Promise<void> {
  const person = await store.people.get(name);
  const set = async (role: Role | null, workspace?: string): Promise<void> => {
    await store.people.setRole(name, role, workspace).catch((thrown: unknown) => {
      if (HeadgateError.from(thrown).code !== 'invalid_request') throw thrown;
      services.log.warn('last_owner_stays', { person: name });
    });
  };
  const wanted = new Map(held.workspaces.map(({ workspace, role }) => [workspace, role]));
  for (const { workspace } of person.workspaces) if (!wanted.has(workspace)) await set(null, workspace);
  for (const [workspace, role] of wanted) await set(role, workspace);
  if (person.role !== held.role) await set(held.role);
  identify.forget();
  const now = await store.people.get(name);
  const said = ({ role, workspaces }: HeldRoles): string => JSON.stringify([role, workspaces]);
  if (said(now) === said(person)) return;
  const roles = [
    ...(now.role ? [now.role] : []),
    ...now.workspaces.map((one) => `${one.role} in ${one.workspace}`),
  ];
  const action = `changed the roles of ${name} by their groups to ${roles.join(', ') || 'none'}`;
  await store.sessions.note({ actor: 'identity provider', address: '', action });
}
