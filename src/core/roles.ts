/**
 * The roles of people, each with the rights of those before it: look at everything; use the gateway and sign
 * in to clients; change everything but people; change people.
 */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** What somebody may do: in the whole gateway, and beyond that in single workspaces. */
export interface HeldRoles {
  /** Null for somebody who has roles in workspaces only. */
  role: Role | null;
  workspaces: readonly { workspace: string; role: Role }[];
}

/** Whether a role includes another. */
export const includesRole = (held: Role | null, needed: Role): boolean =>
  held !== null && ROLES.indexOf(held) >= ROLES.indexOf(needed);

/** The role in a workspace; without one, the role in the gateway. */
export function roleIn({ role, workspaces }: HeldRoles, workspace: string | undefined): Role | null {
  const own = workspaces.find((one) => one.workspace === workspace)?.role;
  return own !== undefined && !includesRole(role, own) ? own : role;
}

/** The workspaces in which somebody has this role by name. */
export const workspacesWith = ({ workspaces }: HeldRoles, needed: Role): string[] =>
  workspaces.filter(({ role }) => includesRole(role, needed)).map(({ workspace }) => workspace);
