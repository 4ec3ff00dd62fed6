import { HeadgateError } from '../../core/errors.ts';
import { asked, own } from '../../core/own-text.ts';
import { isPlainObject } from '../tool.ts';

/** Who asks for a resource, a prompt or a completion. */
export interface Asker {
  /** What the HTTP host knows about the caller; absent over stdio. */
  auth?: unknown;
  signal: AbortSignal;
}

export interface OfferedPrompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required?: boolean }[];
}

export interface OfferedTemplate {
  uriTemplate: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

/** What is completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionSubject = { prompt: string } | { template: string };

/** What a server has besides tools. A list, a text and a completion are bounded by whoever gives them. */
export interface Offers {
  /** The same for every caller, so that they can be listed before anything is loaded. */
  listed: { prompts: readonly OfferedPrompt[]; templates: readonly OfferedTemplate[] };
  resources(
    cursor: string | undefined,
    asker: Asker,
  ): Promise<{ resources: Record<string, unknown>[]; nextCursor?: string }>;
  read(uri: string, asker: Asker): Promise<{ contents: Record<string, unknown>[] }>;
  prompt(name: string, input: Record<string, string>, asker: Asker): Promise<{ messages: object[] }>;
  complete(
    subject: CompletionSubject,
    argument: { name: string; value: string },
    asker: Asker,
  ): Promise<string[]>;
}

/** A completion has at most this many values in MCP. */
const VALUES_MAX = 100;

type Params = Record<string, unknown>;
type Answer = (offers: Offers, params: Params, asker: Asker) => Promise<object> | object;

/** The methods beside those of tools, with and without the MCP SDK. */
export const OFFER_METHODS: Record<OfferMethod, Answer> = {
  'prompts/list': ({ listed: { prompts } }) => ({ prompts }),
  'resources/templates/list': ({ listed: { templates } }) => ({ resourceTemplates: templates }),
  'resources/list': (offers, { cursor }, asker) =>
    offers.resources(cursor === undefined ? undefined : text(cursor, 'cursor'), asker),
  'resources/read': (offers, { uri }, asker) => offers.read(text(uri, 'uri'), asker),
  'prompts/get': (offers, { name, arguments: input = {} }, asker) => {
    const fields = Object.entries(object(input, 'arguments'));
    const texts = fields.map(([field, value]): [string, string] => [field, text(value, field)]);
    return offers.prompt(text(name, 'name'), Object.fromEntries(texts), asker);
  },
  'completion/complete': async (offers, { ref, argument }, asker) => {
    const { type, name: prompt, uri } = object(ref, 'ref');
    const { name, value } = object(argument, 'argument');
    const subject =
      type === 'ref/prompt' ? { prompt: text(prompt, 'ref.name') } : { template: text(uri, 'ref.uri') };
    const typed = { name: text(name, 'argument.name'), value: text(value, 'argument.value') };
    const found = await offers.complete(subject, typed, asker);
    const values = found.slice(0, VALUES_MAX);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  },
};

export type OfferMethod =
  | 'prompts/list'
  | 'prompts/get'
  | 'resources/list'
  | 'resources/read'
  | 'resources/templates/list'
  | 'completion/complete';

export const isOfferMethod = (method: unknown): method is OfferMethod =>
  typeof method === 'string' && Object.hasOwn(OFFER_METHODS, method);

/** A failure as an error of the protocol: what the caller can mend is an invalid parameter. */
export function offerError(thrown: unknown): { code: number; message: string } {
  const error = HeadgateError.from(thrown);
  const isCallers = error.code === 'invalid_request' || error.code === 'not_found';
  return { code: isCallers ? -32_602 : -32_603, message: error.explanation };
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new HeadgateError('invalid_request', own`${asked(name)}: must be text.`);
}

function object(value: unknown, name: string): Params {
  if (isPlainObject(value)) return value;
  throw new HeadgateError('invalid_request', own`${asked(name)}: must be an object.`);
}
