import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The suite's tools that need several rounds in the 2026 protocol: they ask by what they return. */

/** What travels through the client and back must not be trusted, so it is sealed. */
export const state = createRequestStateCodec<{ round: number; name?: string }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const form = (
  message: string,
  field: string,
  value: { type: 'string' } | { type: 'boolean' } = { type: 'string' },
) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: value }, required: [field] },
  });
const question = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 50,
  });
type Answer = ReturnType<typeof said> | ReturnType<typeof inputRequired>;
type Request = ServerContext['mcpReq'];

const nameOf = (request: Request): unknown =>
  acceptedContent<{ name?: unknown }>(request.inputResponses, 'user_name')?.name;

const TOOLS: Record<string, (request: Request) => Answer | Promise<Answer>> = {
  elicitation: (request) => {
    const name = nameOf(request);
    if (typeof name === 'string') return said(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  },
  sampling: ({ inputResponses }) => {
    const answer = inputResponses?.['capital_question'];
    if (answer !== undefined) return said(`The model said ${JSON.stringify(answer)}`);
    return inputRequired({ inputRequests: { capital_question: question('What is the capital of France?') } });
  },
  list_roots: ({ inputResponses }) => {
    const roots = inputResponses?.['client_roots'];
    if (roots !== undefined) return said(`Roots: ${JSON.stringify(roots)}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  request_state: async (request) => confirmed(request, 'state-ok'),
  tampered_state: async (request) => confirmed(request, 'integrity-ok'),
  multiple_inputs: async (request) => {
    const { greeting, client_roots: roots } = request.inputResponses ?? {};
    if (typeof nameOf(request) === 'string' && greeting !== undefined && roots !== undefined)
      return said(`All three came: ${String(nameOf(request))}`);
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: question('Write a greeting.'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await state.mint({ round: 1 }),
    });
  },
  multi_round: async (request) => {
    const held = request.requestState<{ round: number; name?: string }>();
    const ask = async (round: number, field: string, name?: string): Promise<Answer> =>
      inputRequired({
        inputRequests: { [`step${round}`]: form(`Step ${round}: what is your ${field}?`, field) },
        requestState: await state.mint({ round, ...(name !== undefined && { name }) }),
      });
    if (held === undefined) return ask(1, 'name');
    const given = acceptedContent<Record<string, string>>(request.inputResponses, `step${held.round}`);
    if (held.round === 1) return ask(2, 'color', given?.['name'] ?? 'somebody');
    return said(`${held.name ?? 'Somebody'} likes ${given?.['color'] ?? 'no colour'}`);
  },
  capabilities: (request) => {
    if (request.inputResponses !== undefined) return said('answered');
    const envelope = request.envelope as Record<string, Record<string, unknown>> | undefined;
    const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
    const inputRequests: InputRequests = {
      ...(declared?.['elicitation'] !== undefined && { user_name: form('What is your name?', 'name') }),
      ...(declared?.['sampling'] !== undefined && { greeting: question('Write a greeting.') }),
      ...(declared?.['roots'] !== undefined && { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0 ? said('nobody to ask') : inputRequired({ inputRequests });
  },
};

export function addInputTools(server: McpServer): void {
  for (const [name, run] of Object.entries(TOOLS)) {
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: name, inputSchema: z.object({}) },
      (_input, { mcpReq }) => run(mcpReq),
    );
  }
  server.registerPrompt('test_input_required_result_prompt', { description: 'asks first' }, ((
    context: ServerContext,
  ) => {
    const given = acceptedContent<{ context?: unknown }>(
      context.mcpReq.inputResponses,
      'user_context',
    )?.context;
    if (typeof given !== 'string')
      return inputRequired({ inputRequests: { user_context: form('Which context?', 'context') } });
    return { messages: [{ role: 'user', content: { type: 'text', text: `Use this context: ${given}` } }] };
  }) as never);
}

async function confirmed(request: Request, word: string): Promise<Answer> {
  if (
    request.requestState() !== undefined &&
    acceptedContent(request.inputResponses, 'confirm') !== undefined
  )
    return said(`${word}: the state came back whole`);
  return inputRequired({
    inputRequests: { confirm: form('Please confirm', 'ok', { type: 'boolean' }) },
    requestState: await state.mint({ round: 1 }),
  });
}
