import type { HonoRequest } from 'hono';
import type { Caller } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { webToolsOf } from '../../store/agent-settings.ts';
import type { Agent } from '../../store/agents.ts';
import { archivedRefusal } from '../../store/lifecycle.ts';
import type { Store } from '../../store/store.ts';

/** The acting agent, and the caller that pays and is recorded. */
export interface Acting {
  agent: Agent;
  caller: Caller;
}

/** The header, or query parameter `delegate`, that names the agents on whose behalf a call is made, in order. */
export const DELEGATE_HEADER = 'x-headgate-delegate';

/**
 * Resolves which agent acts when agents hand a task on (agent spec 8.1). The call has the tools of the last agent, if they are
 * enabled there. The subscription that called is charged, and the usage shows the whole path, `first/second`.
 */
export async function resolveActing(
  request: HonoRequest,
  agentId: string,
  caller: Caller,
  store: Store,
): Promise<Acting> {
  const delegates = request.header(DELEGATE_HEADER) ?? request.query('delegate') ?? '';
  const targets = delegates.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
  // An agent's key acts for its agent: at another agent's address it delegates.
  const way = [...new Set([caller.agent ?? agentId, agentId]), ...targets];
  if (way.length - 1 > LIMITS.delegationsMax) {
    throw refused(
      own`At most ${LIMITS.delegationsMax} delegations in a row are allowed, not ${way.length - 1}.`,
    );
  }
  if (new Set(way).size < way.length)
    throw refused(own`An agent cannot delegate to itself, directly or through others.`);
  const agents = await Promise.all(way.map((id) => store.agents.get(id)));
  await Promise.all(agents.map((agent) => checkOwner(agent, caller, store)));
  const agent = agents.at(-1);
  if (agent === undefined) throw refused(own`There is no agent.`);
  const grant = { ...(caller.grant === 'all' ? {} : caller.grant), tools: webToolsOf(agent.settings) };
  return { agent, caller: { ...caller, agent: way.join('/'), grant } };
}

/**
 * Agents of other subscriptions are reported as not found. Without keys there is only one user, who owns
 * everything.
 */
async function checkOwner(agent: Agent, caller: Caller, store: Store): Promise<void> {
  if (agent.archived !== null) throw archivedRefusal('agent');
  if (agent.workspace === caller.workspace) return;
  if (caller.workspace === undefined) return refuseArchivedWorkspace(agent.workspace, store);
  const [theirs, ours] = await Promise.all(
    [agent.workspace, caller.workspace].map((id) => store.accounts.workspace(id)),
  );
  if (theirs?.subscription === ours?.subscription) return;
  throw new HeadgateError('not_found', own`There is no agent ${named(agent.id)}.`);
}

/** Somebody without a key acts in any workspace that is in use. */
export async function refuseArchivedWorkspace(id: string, store: Store): Promise<void> {
  if ((await store.accounts.workspace(id)).archived !== null) throw archivedRefusal('workspace');
}

const refused = (message: OwnText): HeadgateError => new HeadgateError('forbidden', message);
