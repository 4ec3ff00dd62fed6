/**
 * The roles of people, each with the rights of those before it: look at everything; use the gateway and sign
 * in to clients; change everything but people; change people.
 */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role includes another. */
export const includesRole = (held: Role, needed: Role): boolean =>
  ROLES.indexOf(held) >= ROLES.indexOf(needed);
