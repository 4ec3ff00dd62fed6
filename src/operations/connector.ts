import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import type { DoctorFinding } from './doctor.ts';

/** A response, whatever its status. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface AskUrl {
  (url: string, request?: { body: string; type: string }): Promise<RawAnswer>;
}

/**
 * Walks through the sign-in of an MCP client as hosted clients do, and names the first step that fails with
 * what to do. It stops before a person would be asked.
 */
export async function diagnoseConnector(address: string, ask: AskUrl): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  const ok: Note = (subject, text, level = 'ok') => void findings.push({ level, subject, text });
  try {
    await walk(address, ask, ok);
  } catch (thrown) {
    if (thrown instanceof StepFailed) findings.push(...thrown.findings);
    else throw thrown;
  }
  return findings;
}

class StepFailed extends Error {
  readonly findings: DoctorFinding[];
  constructor(subject: string, problem: OwnText, fix: OwnText) {
    super(problem);
    this.findings = [{ level: 'problem', subject, text: own`${problem} ${fix}` }];
  }
}

type Note = (subject: string, text: OwnText, level?: 'ok' | 'note') => void;
type Document = Record<string, unknown>;

async function walk(address: string, ask: AskUrl, ok: Note): Promise<void> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '')
    throw new StepFailed('Address', own`This is not an http(s) address.`, own`Give the address of /mcp.`);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !isLocal)
    throw new StepFailed(
      'Address',
      own`Hosted clients only connect over https.`,
      own`Put a proxy with TLS before the gateway and set [server] public_url.`,
    );
  ok('Address', isLocal ? own`fine on this machine; hosted clients cannot reach it.` : own`https.`);
  const from = await challengeOf(address, ask, ok);
  const resource = await resourceOf(address, from, ask, ok);
  const server = await serverOf(resource, ask, ok);
  checkServer(server, ok);
  await checkEndpoints(server, url.origin, ask, ok);
  checkClients(server, isLocal, ok);
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'headgate-doctor', version: '1' },
  },
});

/** The first request has no token; the refusal says where the metadata is. */
async function challengeOf(address: string, ask: AskUrl, ok: Note): Promise<string> {
  const subject = 'First request';
  const { status, headers } = await asked(subject, ask, address, {
    body: INITIALIZE,
    type: 'application/json',
  });
  const fixes: Record<number, OwnText> = {
    403: own`The gateway does not serve this host name: set [server] public_url to it.`,
    404: own`The proxy does not pass this path on: pass /mcp, with and without a path behind it.`,
    405: own`Something else answers here: POST must reach the gateway.`,
    502: own`The proxy does not reach the gateway: check that it runs, and its port.`,
    503: own`The gateway is not ready: see /readyz.`,
  };
  if (status >= 300 && status < 400)
    throw new StepFailed(
      subject,
      own`It is answered with a redirect (HTTP ${status}), which clients do not follow.`,
      own`Give clients the final address, without or with its slash, or remove the redirect in the proxy.`,
    );
  if (status === 200 && /json|event-stream/.test(headers['content-type'] ?? ''))
    throw new StepFailed(
      subject,
      own`It is served without a token, so anybody may use it, and clients do not sign in.`,
      own`Set [server] public_url, and keyless = false.`,
    );
  if (status !== 401)
    throw new StepFailed(
      subject,
      own`It is answered with HTTP ${status}, not 401.`,
      fixes[status] ?? own`Something else than the gateway answers here.`,
    );
  const header = headers['www-authenticate'];
  if (header === undefined)
    throw new StepFailed(
      subject,
      own`The 401 has no WWW-Authenticate header.`,
      own`The proxy removes it, or answers itself: let it pass.`,
    );
  const metadata = /\bresource_metadata="([^"]{1,2000})"/.exec(header)?.[1];
  if (metadata === undefined)
    throw new StepFailed(
      subject,
      own`WWW-Authenticate does not name resource_metadata.`,
      own`Set [server] public_url to the address that clients use.`,
    );
  if (URL.parse(metadata)?.origin !== new URL(address).origin)
    throw new StepFailed(
      subject,
      own`resource_metadata is at another origin, ${shown(URL.parse(metadata)?.origin ?? 'none')}.`,
      own`[server] public_url must be ${shown(new URL(address).origin)}.`,
    );
  ok(subject, own`401, and WWW-Authenticate says where to sign in.`);
  return metadata;
}

/** The metadata of the resource: at the address in the challenge, and where clients without it look. */
async function resourceOf(address: string, from: string, ask: AskUrl, ok: Note): Promise<Document> {
  const subject = 'Resource metadata';
  const { origin, pathname } = new URL(address);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  const fix = own`The proxy must pass /.well-known/ to the gateway.`;
  const document = await documentAt(subject, ask, from, fix);
  if (from !== wellKnown) await documentAt(subject, ask, wellKnown, fix);
  const { resource, authorization_servers: servers } = document;
  if (resource !== address)
    throw new StepFailed(
      subject,
      own`It is for ${shown(resource)}, not for ${shown(address)}; clients refuse that.`,
      own`Give clients exactly that address, or set [server] public_url to ${shown(origin)}.`,
    );
  if (!Array.isArray(servers) || typeof servers[0] !== 'string' || URL.parse(servers[0]) === null)
    throw new StepFailed(
      subject,
      own`It names no authorization server.`,
      own`authorization_servers must list one.`,
    );
  ok(subject, own`for exactly this address.`);
  return document;
}

/** The metadata of the authorization server, where RFC 8414 and OpenID Connect put it. */
async function serverOf(resource: Document, ask: AskUrl, ok: Note): Promise<Document> {
  const subject = 'Authorization server';
  const issuer = (resource['authorization_servers'] as string[])[0] ?? '';
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname;
  const fix = own`${shown(issuer)} must answer /.well-known/oauth-authorization-server with JSON.`;
  const document = await documentAt(
    subject,
    ask,
    `${origin}/.well-known/oauth-authorization-server${path}`,
    fix,
  ).catch(async (thrown: unknown) => {
    if (!(thrown instanceof StepFailed)) throw thrown;
    return documentAt(subject, ask, `${origin}${path}/.well-known/openid-configuration`, fix).catch(() => {
      throw thrown;
    });
  });
  if (document['issuer'] !== issuer)
    throw new StepFailed(
      subject,
      own`Its issuer is ${shown(document['issuer'])}, not ${shown(issuer)}; clients refuse that.`,
      own`Both must be the same, letter by letter.`,
    );
  ok(subject, own`${shown(issuer)}.`);
  return document;
}

/** What every client needs of the server. */
function checkServer(server: Document, ok: Note): void {
  const subject = 'Server metadata';
  const needs: [field: string, value: string, why: OwnText][] = [
    ['response_types_supported', 'code', own`Clients ask for a code.`],
    ['code_challenge_methods_supported', 'S256', own`Clients refuse a server without PKCE.`],
    ['token_endpoint_auth_methods_supported', 'none', own`Public clients have no secret.`],
  ];
  for (const [field, value, why] of needs)
    if (!listOf(server, field).includes(value))
      throw new StepFailed(
        subject,
        own`${named(field)} does not list ${named(value)}.`,
        own`${why} Add it at the authorization server.`,
      );
  if (
    server['client_id_metadata_document_supported'] !== true &&
    server['registration_endpoint'] === undefined
  )
    throw new StepFailed(
      subject,
      own`Clients cannot make themselves known: neither documents nor registration are supported.`,
      own`Set [auth] registration = true, or give each client an ID of its own.`,
    );
  ok(subject, own`code, PKCE and public clients are supported.`);
}

/** The endpoints must be there; what is asked of them is deliberately incomplete. Only those of our own origin are asked. */
async function checkEndpoints(server: Document, origin: string, ask: AskUrl, ok: Note): Promise<void> {
  const subject = 'Endpoints';
  const fix = own`The proxy must pass /oauth/ to the gateway.`;
  for (const field of ['authorization_endpoint', 'token_endpoint']) {
    const url = server[field];
    if (typeof url !== 'string' || URL.parse(url) === null)
      throw new StepFailed(subject, own`${named(field)} is missing.`, own`Add it to the metadata.`);
    if (new URL(url).origin !== origin) continue;
    const isToken = field === 'token_endpoint';
    const form = { body: 'grant_type=authorization_code', type: 'application/x-www-form-urlencoded' };
    const { status, body } = await asked(subject, ask, url, isToken ? form : undefined);
    const isThere = isToken ? (status === 400 || status === 401) && isJson(body) : status < 404;
    if (!isThere)
      throw new StepFailed(subject, own`${named(field)} answers with HTTP ${status}, not as it should.`, fix);
  }
  ok(subject, own`authorize and token answer.`);
}

/** What each client can use to make itself known. */
const CLIENTS: [name: string, ways: ('document' | 'registration')[]][] = [
  ['Claude', ['document', 'registration']],
  ['ChatGPT', ['document', 'registration']],
  ['VS Code', ['document', 'registration']],
  ['Zed', ['document', 'registration']],
  ['Cursor', ['registration']],
];

function checkClients(server: Document, isLocal: boolean, ok: Note): void {
  const offered = {
    document: server['client_id_metadata_document_supported'] === true,
    registration: server['registration_endpoint'] !== undefined,
  };
  for (const [name, ways] of CLIENTS) {
    const way = ways.find((one) => offered[one]);
    const isHosted = name === 'Claude' || name === 'ChatGPT';
    ok(
      name,
      way === undefined
        ? own`needs [auth] registration = true, or an ID in [auth] clients.`
        : isLocal && isHosted
          ? own`does not reach this machine.`
          : own`is offered what it uses to make itself known: ${named(way)}.`,
      way === undefined || (isLocal && isHosted) ? 'note' : 'ok',
    );
  }
}

async function asked(
  subject: string,
  ask: AskUrl,
  url: string,
  request?: { body: string; type: string },
): Promise<RawAnswer> {
  try {
    return await ask(url, request);
  } catch (thrown) {
    const { code } = HeadgateError.from(thrown);
    throw new StepFailed(
      subject,
      own`${shown(url)} cannot be reached (${named(code)}).`,
      own`Check the name in DNS, the certificate, the firewall, and that the gateway runs.`,
    );
  }
}

async function documentAt(subject: string, ask: AskUrl, url: string, fix: OwnText): Promise<Document> {
  const { status, body } = await asked(subject, ask, url);
  if (status !== 200) throw new StepFailed(subject, own`${shown(url)} answers with HTTP ${status}.`, fix);
  if (!isJson(body))
    throw new StepFailed(subject, own`${shown(url)} answers with something that is not JSON.`, fix);
  return JSON.parse(body) as Document;
}

function isJson(body: string): boolean {
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const listOf = (document: Document, field: string): unknown[] =>
  Array.isArray(document[field]) ? (document[field] as unknown[]) : [];

/** An address in a foreign document; anything else could be words of a stranger. */
const shown = (value: unknown): OwnText =>
  typeof value === 'string' && /^[\w:/.@%~?&=+-]{1,200}$/.test(value) ? named(value) : own`something else`;
