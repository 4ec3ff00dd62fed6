import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { switchFlag, valueFlag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { redact } from '../core/log.ts';
import { VERSION } from '../core/version.ts';
import { diagnoseConnector, type AskUrl } from '../operations/connector.ts';
import { checkGuard, diagnose, type DoctorFinding } from '../operations/doctor.ts';
import type { Services } from '../operations/services.ts';
import type { Command, OpenedStore } from './command.ts';
import type { ApiKey } from '../store/keys.ts';
import { fileFailure } from './file-failure.ts';
import { createStyle } from './terminal.ts';

/** Checks the setup, or tests the guard against a corpus. */
export const command: Command = {
  usage: '[flags]',
  flags: [
    switchFlag('offline', 'Do not call any provider.'),
    switchFlag(
      'live',
      'Check every key: by asking what is left, or else by one search, which may cost a credit.',
    ),
    valueFlag('ssrf', 'FILE', 'Check the guard against a list of addresses.'),
    valueFlag(
      'connector',
      'URL',
      'Check whether MCP clients such as Claude and ChatGPT can sign in at this address.',
    ),
  ],
  run: async ({ args, print, printResult, isTerminal, signal, open }) => {
    const corpus = args.value('ssrf');
    if (corpus !== undefined)
      return (await checkGuard(readCorpus(corpus), (line) => print(`${line}\n`))) ? 0 : 1;

    const connector = args.value('connector');
    const opened = await open({ accounts: connector === undefined, lenient: true });
    const { services } = opened;
    const findings =
      connector === undefined
        ? [
            ...configFindings(opened),
            homeFinding(opened),
            ...(await storeFindings(opened)),
            ...(args.isOn('offline') === true ? [] : await signInChecks(services, signal)),
            ...(await diagnose(services, {
              online: args.isOn('offline') !== true,
              live: args.isOn('live') === true,
              signal,
            })),
          ]
        : await diagnoseConnector(connector, askFrom(connector, services, signal));
    printResult(findings, () => render(findings, isTerminal));
    return findings.some((finding) => finding.level === 'problem') ? 1 : 0;
  },
};

/** The gateway's part is only loaded where people or tokens of another server are let in. */
async function signInChecks(services: Services, signal: AbortSignal): Promise<DoctorFinding[]> {
  const { issuer, oidc } = services.config.auth;
  if (issuer === undefined && oidc.issuer === undefined) return [];
  const { signInFindings } = await import('../gateway/oauth/sign-in-findings.ts');
  return signInFindings(services, signal);
}

const CONNECTOR_MS = 10_000;

/** Asks the operator's own address directly, and whatever its documents name through the guard. */
function askFrom(connector: string, services: Services, signal: AbortSignal): AskUrl {
  const own = URL.parse(connector)?.origin;
  return async (url, request) => {
    if (URL.parse(url)?.origin !== own) {
      const options = {
        signal,
        caller: 'doctor',
        gate: undefined,
        timeoutMs: CONNECTOR_MS,
        types: 'any' as const,
      };
      const { status, headers, bytes } = await services.fetch(url, options);
      return { status, headers, body: new TextDecoder().decode(bytes) };
    }
    return services.upstream.send(
      {
        method: request === undefined ? 'GET' : 'POST',
        url,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(request === undefined ? {} : { 'content-type': request.type }),
        },
        ...(request === undefined ? {} : { body: request.body }),
      },
      { signal, timeoutMs: CONNECTOR_MS, provider: 'The gateway' },
    );
  };
}

const configFindings = ({ problem }: OpenedStore): DoctorFinding[] =>
  problem === undefined ? [] : [{ level: 'problem', subject: 'Config', text: problem.message }];

/** Whether the data folder is writable. It is not created. */
function homeFinding({ home }: OpenedStore): DoctorFinding {
  const subject = 'Home';
  let place = home;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    // A folder can only be created in a folder; root, too, fails on a file.
    if (!statSync(place).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR', path: place });
    accessSync(place, constants.W_OK);
    return { level: 'ok', subject, text: `${home} is writable.` };
  } catch (thrown) {
    const error = fileFailure(thrown) ?? HeadgateError.from(thrown);
    return { level: 'problem', subject, text: error.explanation };
  }
}

/** Whether the store opens, and whether the settings in it still refer to existing things. */
async function storeFindings({ store, config, home }: OpenedStore): Promise<DoctorFinding[]> {
  const subject = 'Store';
  const path = join(home, 'headgate.db');
  if (store === undefined || (config.store.url === undefined && !existsSync(path)))
    return [{ level: 'note', subject, text: `none yet; a gateway, workspace or limit creates ${path}.` }];
  try {
    const problems = await store.problems();
    const place = config.store.url === undefined ? path : 'PostgreSQL';
    const text = `${place} answers; \`headgate store check\` verifies all of it.`;
    const soon = (await store.keys.list()).filter(expiresSoon);
    return [
      { level: 'ok', subject, text },
      ...soon.map(({ id, label, expires }) => ({
        level: 'note' as const,
        subject,
        text: `key ${id} (${label}) expires on ${new Date(expires ?? 0).toISOString().slice(0, 10)}; \`headgate key rotate ${id}\` replaces it.`,
      })),
      ...problems.map((problem) => ({ level: 'problem' as const, subject, text: problem })),
    ];
  } catch (thrown) {
    const error = fileFailure(thrown) ?? HeadgateError.from(thrown);
    return [{ level: 'problem', subject, text: error.explanation }];
  }
}

const SOON_MS = 14 * 86_400_000;

const expiresSoon = ({ expires, revoked, client }: ApiKey): boolean =>
  expires !== null &&
  revoked === null &&
  client === null &&
  expires > Date.now() &&
  expires < Date.now() + SOON_MS;

function render(findings: DoctorFinding[], isTerminal: boolean): string {
  const style = createStyle(isTerminal);
  const mark = { ok: style('green', own`✓`), note: style('dim', own`·`), problem: style('red', own`✗`) };
  const shown = condensed(findings);
  const width = Math.max(...shown.map((finding) => finding.subject.length)) + 2;
  const lines = shown.map(
    (finding) => `${mark[finding.level]} ${finding.subject.padEnd(width)}${finding.text}`,
  );
  return redact(`Headgate ${VERSION} on Node ${process.versions.node}\n\n${lines.join('\n')}\n`);
}

/** Providers that are not set up on one line; `--json` has each with what it needs. */
function condensed(findings: DoctorFinding[]): DoctorFinding[] {
  const isMissing = ({ text }: DoctorFinding): boolean => text.startsWith('not set up.');
  const missing = findings.filter(isMissing).map(({ subject }) => subject);
  const text = `${missing.join(', ')}. \`headgate providers\` says what each needs.`;
  const rest = findings.filter((finding) => !isMissing(finding));
  return missing.length === 0 ? rest : [...rest, { level: 'note', subject: 'Not set up', text }];
}

function readCorpus(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new HeadgateError('invalid_request', own`The corpus ${named(file)} cannot be read.`, {
      remediation: 'Check the path.',
      cause,
    });
  }
}
