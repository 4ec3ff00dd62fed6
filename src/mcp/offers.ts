import type { Asker, CompletionSubject, Offers } from '../bridge/mcp/offers.ts';
import type { ResearchSessionOutput } from '../contract/types.ts';
import type { Surface } from '../core/call-row.ts';
import type { Call, Caller } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { createFence } from '../core/fence.ts';
import { callNonce } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { asked, joined, own } from '../core/own-text.ts';
import { clip, oneLine, plural } from '../core/text.ts';
import { createCall, perform } from '../operations/perform.ts';
import type { Services } from '../operations/services.ts';
import type { CallFilter, Calls, LoggedCall } from '../store/calls.ts';
import { CALLS, OFFERED, RESEARCH, type ToolsetLanguage } from '../toolsets/offered.ts';
import { load } from '../toolsets/load.ts';
import { ARGUMENT_CHARS_MAX, promptText } from '../toolsets/prompts.ts';
import type { Toolset } from '../toolsets/tool.ts';

/** How many resources and calls are listed at once, and how long a title and a report are. */
export const PAGE_MAX = 50;
const CALLS_MAX = 50;
const TITLE_CHARS = 120;
const REPORT_TOKENS = 20_000;
/** How many completions are given, and among how many researches they are looked for. */
const COMPLETIONS_MAX = 20;
const LOOKED_MAX = 100;

export interface OffersOptions {
  toolset: Pick<Toolset, 'language' | 'tools'>;
  services: Services;
  /** The call log; absent where calls are not logged. */
  calls: Pick<Calls, 'page'> | undefined;
  surface: Surface;
}

/**
 * The prompts and resources beside a toolset: the researches and calls of the caller's own workspace, or of this installation
 * over stdio. An agent sees its own calls only.
 */
export function createOffers({ toolset, services, calls, surface }: OffersOptions): Offers {
  const { language = 'en' } = toolset;
  const research = createResearchReader(services, surface);
  const callPage = createCallReader(services, calls, surface);
  const open: Offers['read'] = async (uri, asker) => {
    const url = URL.parse(uri);
    const [, id, more] = url?.pathname.split('/') ?? [];
    if (url?.protocol === 'headgate:' && more === undefined) {
      if (url.host === 'research' && id !== undefined)
        return { contents: [await research.report(uri, id, asker)] };
      if (url.host === 'calls')
        return id === undefined || id === ''
          ? { contents: [await callPage(uri, url.searchParams.get('before') ?? undefined, asker)] }
          : { contents: contentsOf(uri, await callPage.find({ request: id }, asker)) };
    }
    throw noResource(uri);
  };
  // In a replay, the same resource has the same marks every time.
  const read: Offers['read'] = (uri, asker) => {
    const { workspace } = (asker.auth ?? {}) as Caller;
    const opening = () => open(uri, asker);
    return services.enter?.('resources/read', { uri }, opening, workspace) ?? opening();
  };
  return {
    listed: OFFERED[language],
    resources: async (cursor, asker) => {
      const page = await research.page(cursor, asker);
      const isFirst = cursor === undefined && callPage.isOpenTo(asker);
      return { ...page, resources: [...(isFirst ? [RECENT_CALLS[language]] : []), ...page.resources] };
    },
    read,
    prompt: async (name, input, asker) => {
      const text = promptText(name, input, toolset);
      const id = input['research']?.trim() ?? '';
      const report = name === 'check_quote' && id !== '' ? await read(`${RESEARCH}${id}`, asker) : undefined;
      const attached = (report?.contents ?? []).map((resource) => ({ type: 'resource', resource }));
      const contents = [{ type: 'text', text }, ...attached];
      return { messages: contents.map((content) => ({ role: 'user', content })) };
    },
    complete: async (subject, { name, value }, asker) => {
      const source = SOURCES.find((one) => one.isFor(subject, name));
      if (source === undefined) return [];
      const typed = value.toLowerCase().slice(0, ARGUMENT_CHARS_MAX);
      const known = await source.values({ research, callPage }, asker);
      return [...new Set(known)].filter((one) => one.toLowerCase().includes(typed)).slice(0, COMPLETIONS_MAX);
    },
  };
}

/** The offers when the engine cannot start: prompts work, and everything else reports the reason. */
export function failedOffers(toolset: OffersOptions['toolset'], error: HeadgateError): Offers {
  const fail = (): Promise<never> => Promise.reject(error);
  const messagesOf: Offers['prompt'] = async (name, input) => ({
    messages: [{ role: 'user', content: { type: 'text', text: promptText(name, input, toolset) } }],
  });
  const { [toolset.language ?? 'en']: listed } = OFFERED;
  return { listed, resources: fail, read: fail, prompt: messagesOf, complete: fail };
}

type Readers = {
  research: ReturnType<typeof createResearchReader>;
  callPage: ReturnType<typeof createCallReader>;
};

/** Where completions of an argument come from: never further than what the caller may read. */
const SOURCES: {
  isFor(subject: CompletionSubject, argument: string): boolean;
  values(readers: Readers, asker: Asker): Promise<string[]>;
}[] = [
  {
    isFor: (subject, name) => ('prompt' in subject ? name === 'research' : name === 'id'),
    values: async ({ research }, asker) => (await research.list(asker)).map((one) => one.research_id),
  },
  {
    isFor: (subject, name) => 'prompt' in subject && name === 'question',
    values: async ({ research }, asker) => (await research.list(asker)).map((one) => one.original_query),
  },
  {
    isFor: (subject, name) => 'prompt' in subject && name === 'mode',
    values: async () => ['general', 'academic', 'technical'],
  },
  {
    isFor: (subject, name) => 'template' in subject && name === 'request',
    values: async ({ callPage }, asker) => (await callPage.find({}, asker)).map((one) => one.request),
  },
  {
    isFor: (subject, name) => 'prompt' in subject && (name === 'url' || name === 'urls'),
    values: async ({ callPage }, asker) =>
      (await callPage.find({}, asker)).flatMap(({ query }) =>
        (query ?? '').split(' ').filter((word) => URL.canParse(word)),
      ),
  },
];

/** Looking is not a call: it is allowed and refused like one, but not logged. */
const lookingCall = (
  services: Services,
  surface: Surface,
  { auth, signal }: Asker,
): Call & { end(): void } => ({
  ...createCall(services, { surface, signal, ...(auth === undefined ? {} : { caller: auth as Caller }) }),
  isLook: true,
});

function createResearchReader(services: Services, surface: Surface) {
  const looking = async <Value>(asker: Asker, look: (call: Call) => Promise<Value>): Promise<Value> => {
    const call = lookingCall(services, surface, asker);
    return look(call).finally(() => call.end());
  };
  const ask = async (input: Record<string, unknown>, call: Call) =>
    perform(await load.researchSession(), input, { call, services });
  /** Keys that may not use research have none to see. */
  const page = async (
    input: { cursor?: string; limit: number },
    asker: Asker,
  ): Promise<Pick<ResearchSessionOutput, 'sessions' | 'next_cursor'>> => {
    try {
      return await looking(asker, (call) => ask({ action: 'list', ...input }, call));
    } catch (thrown) {
      const { code } = HeadgateError.from(thrown);
      if (code === 'forbidden' || code === 'policy_denied') return {};
      throw code === 'not_found' ? badCursor() : thrown;
    }
  };
  /** The state, and the report as far as it is written. */
  const stateOf = async (id: string, call: Call) => {
    try {
      return await ask({ action: 'report', research_id: id }, call);
    } catch (thrown) {
      if (HeadgateError.from(thrown).code !== 'not_found') throw thrown;
      return { session: await services.research.status(id, call), report: undefined };
    }
  };
  return {
    list: async (asker: Asker) => (await page({ limit: LOOKED_MAX }, asker)).sessions ?? [],
    page: async (cursor: string | undefined, asker: Asker) => {
      const input = { limit: PAGE_MAX, ...(cursor === undefined ? {} : { cursor }) };
      const { sessions = [], next_cursor: nextCursor } = await page(input, asker);
      const resources = sessions.map((session) => ({
        uri: `${RESEARCH}${session.research_id}`,
        name: session.research_id,
        title: clip(oneLine(session.original_query), TITLE_CHARS),
        description: `${session.status}, ${plural(session.source_count, 'source')}, ${session.created_at}`,
        mimeType: 'text/markdown',
        annotations: { lastModified: session.updated_at },
      }));
      return { resources, ...(nextCursor === undefined ? {} : { nextCursor }) };
    },
    report: async (uri: string, id: string, asker: Asker) => {
      const { session, report } = await looking(asker, (call) => stateOf(id, call));
      const sources = plural(session?.source_count ?? 0, 'source');
      const state = own`Research ${asked(id)}: ${asked(session?.status ?? '')}, ${asked(sources)}.`;
      if (report === undefined)
        return { uri, mimeType: 'text/markdown', text: own`${state} There is no report yet.` };
      const { reportText } = await import('../toolsets/default/text.ts');
      const fence = createFence(callNonce());
      const markdown = fence.around(await reportText(report, REPORT_TOKENS));
      return { uri, mimeType: 'text/markdown', text: joined([state, fence.preface, markdown], '\n\n') };
    },
  };
}

function createCallReader(services: Services, calls: OffersOptions['calls'], surface: Surface) {
  /** The rows that this caller may see. Callers of a gateway without a workspace share one, so they see none. */
  const within = ({ auth }: Asker): CallFilter | undefined => {
    const { workspace, agent } = (auth ?? {}) as Caller;
    if (workspace === undefined) return surface === 'stdio' ? { isLocal: true } : undefined;
    return { workspace, ...(agent === undefined ? {} : { agent }) };
  };
  const rowsOf = async (filter: CallFilter, asker: Asker, before?: string) => {
    const own = within(asker);
    if (calls === undefined || own === undefined) return { calls: [] };
    // What has not been written yet is shown, too.
    await services.meter?.calls?.flush();
    const limit = CALLS_MAX;
    return calls.page({ ...filter, ...own }, { limit, ...(before === undefined ? {} : { before }) });
  };
  const page = async (uri: string, before: string | undefined, asker: Asker) => {
    const { calls: rows, next } = await rowsOf({}, asker, before);
    const shown = {
      calls: rows.map((row) => ({ uri: `${CALLS}/${row.request}`, ...factsOf(row) })),
      ...(next === undefined ? {} : { next: `${CALLS}?before=${next}` }),
    };
    return { uri, mimeType: 'application/json', text: JSON.stringify(shown) };
  };
  return Object.assign(page, {
    isOpenTo: (asker: Asker): boolean => calls !== undefined && within(asker) !== undefined,
    find: async (filter: CallFilter, asker: Asker): Promise<LoggedCall[]> =>
      (await rowsOf(filter, asker)).calls,
  });
}

/** What a caller is told about a call: nothing about keys, and nothing that the workspace does not keep. */
const factsOf = ({
  at,
  request,
  surface,
  operation,
  agent,
  provider,
  outcome,
  code,
  ...row
}: LoggedCall) => ({
  at: new Date(at).toISOString(),
  request,
  surface,
  operation,
  agent,
  provider,
  outcome,
  code,
  credits: row.credits,
  charged: row.charged,
  tokens: row.tokens,
  ms: row.ms,
  cached: row.cached,
  query: row.query,
});

/** A call, and apart from it the answer that was given, which is text from the web. */
function contentsOf(uri: string, [row]: LoggedCall[]) {
  if (row === undefined) throw noResource(uri);
  const facts = { ...factsOf(row), policy: row.policy, attempts: row.attempts };
  const whole = { uri, mimeType: 'application/json', text: JSON.stringify(facts) };
  if (row.answer === null) return [whole];
  const fence = createFence(callNonce());
  const answer = clip(row.answer, LIMITS.toolTextCharsMax);
  return [whole, { uri, mimeType: 'text/plain', text: joined([fence.preface, fence.around(answer)], '\n') }];
}

const RECENT_CALLS: Record<ToolsetLanguage, Record<string, unknown>> = {
  en: {
    uri: CALLS,
    name: 'calls',
    title: 'Recent calls',
    description: 'The latest calls of this workspace, with their outcome and cost.',
    mimeType: 'application/json',
  },
  ja: {
    uri: CALLS,
    name: 'calls',
    title: '最近の呼び出し',
    description: 'このワークスペースの最近の呼び出しと、その結果と費用。',
    mimeType: 'application/json',
  },
};

const noResource = (uri: string): HeadgateError =>
  new HeadgateError('not_found', own`There is no resource "${asked(uri)}".`, {
    remediation: 'List the resources to see which there are.',
  });

const badCursor = (): HeadgateError =>
  new HeadgateError('invalid_request', 'cursor: not a cursor of this list.', {
    remediation: 'List the resources again from the start.',
  });
