import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { systemClock, type Clock } from '../../../src/core/clock.ts';
import { createConsoleWorld, type ConsoleWorld } from './world.ts';

/** A gateway that has been used for a day, for the pictures of the documentation. Everything in it is invented. */
export interface Demo extends ConsoleWorld {
  /** The agent and the subscription that most of it happened to. */
  reader: string;
  subscription: string;
}

export const QUESTION =
  'When was the headgate of the Aldana canal built and how much water does the canal lose?';

const HOUR_MS = 3_600_000;
const HOURS = 23;
const WORDS = ['headgate', 'drought', 'farms', 'sensors', 'water board', 'Marta Ribero', 'concrete lining'];

export async function createDemo(): Promise<Demo> {
  let behindMs = HOURS * HOUR_MS;
  const clock: Clock = { ...systemClock, now: () => Date.now() - behindMs };
  const world = await createConsoleWorld({
    clock,
    config: (sim) => ({
      'providers.tavily.base_url': `${sim}/topics`,
      'providers.tavily.api_key': 'tvly-operator-key',
      'extract.provider': 'tavily',
      'server.requests_per_minute': 600,
    }),
  });
  const people = await invite(world);
  const asked = createAsker(world, people);
  for (let hour = 0; hour < HOURS; hour += 1) {
    behindMs = (HOURS - hour) * HOUR_MS - (hour % 4) * 11 * 60_000;
    await oneHour(hour, asked);
  }
  behindMs = 0;
  world.gateway.sim.reset();
  await asked.mcp('Aldana canal length');
  await asked.http('lab', 'who operates the canal', 'duckduckgo');
  await asked.close();
  return { ...world, reader: people.reader, subscription: people.subscription };
}

/** Two workspaces with agents, keys and money. */
async function invite({ gateway: { store } }: ConsoleWorld) {
  const team = await store.accounts.createWorkspace({ name: 'Field team', tier: 'pro' });
  const students = await store.accounts.createWorkspace({ name: 'Students', tier: 'free' });
  await store.accounts.topUp({ subscription: team.subscription, amount: 25_000_000, note: 'invoice 17' });
  const settings = { searchWebProvider: 'tavily', fetchWebProvider: 'headgate' };
  const reader = await store.agents.create({ workspace: team.id, name: 'Reader', settings });
  const scout = { searchWebProvider: 'duckduckgo', fetchWebProvider: null };
  await store.agents.create({ workspace: team.id, name: 'Scout', settings: scout });
  await store.agents.create({ workspace: students.id, name: 'Homework helper', settings });
  const laptop = await store.keys.create({ workspace: team.id, label: 'laptop', agent: reader.id });
  const lab = await store.keys.create({
    workspace: students.id,
    label: 'lab',
    scopes: ['search', 'extract'],
  });
  const old = await store.keys.create({ workspace: team.id, label: 'old laptop' });
  await store.keys.revoke(old.record.id);
  return {
    reader: reader.id,
    subscription: team.subscription,
    keys: { laptop: laptop.key, lab: lab.key },
  };
}

type People = Awaited<ReturnType<typeof invite>>;
type Asker = ReturnType<typeof createAsker>;

function createAsker({ url, gateway }: ConsoleWorld, { keys, reader }: People) {
  const client = new Client({ name: 'demo', version: '1' });
  const headers = { authorization: `Bearer ${keys.laptop}` };
  const address = new URL(`${url}/mcp/agents/${reader}`);
  const connected = client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return {
    gateway,
    http: (who: keyof People['keys'], query: string, provider = 'tavily') =>
      fetch(`${url}/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys[who]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, provider }),
      }),
    mcp: async (query: string) => {
      await connected;
      return client.callTool({ name: 'search_web', arguments: { query } });
    },
    close: () => client.close(),
  };
}

/** More by day than by night, some for nothing, and a provider that was down for a while. */
async function oneHour(hour: number, { http, mcp, gateway }: Asker): Promise<void> {
  const busy = Math.round(3 + 3 * Math.sin((hour / HOURS) * 2 * Math.PI - 1));
  for (let call = 0; call < busy; call += 1) {
    const query = `Aldana canal ${WORDS[(hour + call) % WORDS.length]} ${hour}`;
    if (call % 3 === 2) await mcp(query);
    else await http('laptop', query);
  }
  if (hour % 3 === 0) await http('lab', `history of the canal ${hour}`);
  if (hour % 2 === 0) await http('lab', `Aldana canal map ${hour}`, 'duckduckgo');
  if (hour === 15 || hour === 16) {
    gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 2 }]);
    for (let call = 0; call < 2; call += 1) await http('lab', `weirs ${hour} ${call}`, 'duckduckgo');
  }
}
