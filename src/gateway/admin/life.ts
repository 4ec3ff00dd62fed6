import { z } from 'zod';
import type { Role } from '../../core/roles.ts';
import { LIMITS } from '../../core/limits.ts';
import { removeSubject, type LifeKind, unconfirmed } from '../../store/lifecycle.ts';
import { idOf } from './accounts.ts';
import { defineRoute } from './route.ts';
import { ofRecord } from './scope-to-workspace.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax);

/** The routes of one kind. Keys and agents are managed by those who administer their workspace. */
function routesOf<const Plural extends string>(kind: LifeKind, plural: Plural, role: Role) {
  const scoped =
    kind === 'workspace' || kind === 'person'
      ? {}
      : {
          scopeToWorkspace: ofRecord(
            (id, { store }) => (kind === 'agent' ? store.agents.get(id) : store.keys.get(id)),
            kind,
          ),
        };
  const path = `/${plural}/:id` as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/dependents`,
      summary: `What depends on a ${kind}, and whether it can be deleted.`,
      role,
      ...scoped,
      run: ({ params }, { store }) => store.life.dependents(kind, idOf(params)),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/rename`,
      summary: `Rename a ${kind}.`,
      role,
      body: z.strictObject({ name }),
      ...scoped,
      run: ({ params, body }, { store }) => store.life.rename(kind, idOf(params), body.name),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/archive`,
      summary: `Archive a ${kind}, so that its calls are refused, or restore it.`,
      role,
      body: z.strictObject({ archived: z.boolean().default(true) }),
      ...scoped,
      run: ({ params, body }, { store }) => store.life.archive(kind, idOf(params), body.archived),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/delete`,
      summary: `Delete a ${kind} and what depends on it. \`confirm\` repeats its ${kind === 'person' ? 'name' : 'ID'}.`,
      role,
      body: z.strictObject({ confirm: z.string().optional() }),
      ...scoped,
      run: async ({ params, body }, { store }) => {
        const id = idOf(params);
        const dependents = await store.life.dependents(kind, id);
        if (body.confirm !== id) throw unconfirmed(dependents, `send {"confirm": "${id}"}`);
        return removeSubject(store, kind, id);
      },
    }),
  ] as const;
}

/** Renaming, archiving and deleting of workspaces, agents, keys and people. */
export const lifeRoutes = [
  ...routesOf('workspace', 'workspaces', 'owner'),
  ...routesOf('agent', 'agents', 'admin'),
  ...routesOf('key', 'keys', 'admin'),
  ...routesOf('person', 'people', 'owner'),
];
