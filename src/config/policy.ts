import { z } from 'zod';
import { HeadgateError } from '../core/errors.ts';
import { HIDDEN_MODES, ROBOTS_MODES, SECRETS_MODES, SIGNALS_MODES, type Policy } from '../core/gate.ts';
import { named, own } from '../core/own-text.ts';
import { POLICY_OPERATIONS } from '../policy/decide.ts';
import { domainEntry } from '../policy/domains.ts';
import { providers } from '../providers/index.ts';
import { integer } from '../contract/fields.ts';
import { list, secrets } from './leaf.ts';

const words = (names: readonly string[]) =>
  list().refine((given) => given.every((name) => names.includes(name.toLowerCase())), {
    error: `must be one or more of ${names.join(', ')}.`,
  });

const domains = () =>
  list().refine((given) => given.every((entry) => domainEntry(entry) !== undefined), {
    error: 'must be domains such as example.com, *.example.com, example.com:8443 or an address, or *.',
  });

const CANARIES_MAX = 100;

/** Only letters and digits are compared, in any script that has them in ASCII. */
const isCanary = (text: string): boolean =>
  text.length <= 200 && text.replaceAll(/[^A-Za-z0-9]/g, '').length >= 8;

/** The rules of a level: the `[policy]` section for the operator, and the same for workspaces and agents. */
export const policyRules = {
  mode: z
    .enum(['enforce', 'report'])
    .default('enforce')
    .describe('Whether these rules refuse, or only report what they would refuse.'),
  allow: domains()
    .default([])
    .describe('The only domains that may be read, with everything below them. Empty: all.'),
  deny: domains()
    .default([])
    .describe('Domains that are never read, and whose results are left out. It wins over `allow`.'),
  operations: words(POLICY_OPERATIONS)
    .default([])
    .describe(`The only operations that may be called, of ${POLICY_OPERATIONS.join(', ')}. Empty: all.`),
  providers: words(providers.filter(({ builtIn }) => builtIn === undefined).map(({ id }) => id))
    .default([])
    .describe('The only providers that queries and addresses may be sent to. Empty: all that are set up.'),
  fetch: z
    .enum(['any', 'admitted', 'strict'])
    .default('any')
    .describe(
      'The addresses that a caller may choose: `any`, or only those that a search, the library, a page or a person gave it (`admitted`; `strict` with a smaller leak budget).',
    ),
  admit: domains()
    .default([])
    .describe('Domains whose addresses may be chosen freely where `fetch` is `admitted` or `strict`.'),
  leak_bits_per_domain: integer(0, 100_000)
    .optional()
    .describe(
      'How many bits the choice of addresses may tell one registrable domain within 24 hours. Unset: 64, and 24 for `strict`.',
    ),
  leak_bits: integer(0, 100_000)
    .optional()
    .describe(
      'How many bits the choice of addresses may tell all domains together. Unset: 192, and 48 for `strict`.',
    ),
  approvals: z
    .enum(['client', 'console'])
    .optional()
    .describe(
      'Where a person approves other addresses: `client`, where MCP clients that can ask their person do so, or `console`, only there and on the command line. Unset: `client`.',
    ),
  max_pages: integer(0, 10_000_000)
    .optional()
    .describe(
      'How many pages a key or an agent may read within 24 hours, with those of crawls and research. Unset: any number.',
    ),
  max_depth: integer(0, 100)
    .optional()
    .describe(
      'How many links a crawl or map may go from its start, and, where `fetch` is `admitted` or `strict`, a caller from what a search or a person gave it. Unset: any number.',
    ),
  secrets: z
    .enum(SECRETS_MODES)
    .default('report')
    .describe(
      'What happens to keys and tokens in queries, addresses and instructions: they are reported, taken out, or the call is refused.',
    ),
  robots: z
    .enum(ROBOTS_MODES)
    .optional()
    .describe(
      'Where robots.txt counts: `walk` for crawls and maps, `all` for every page that is read, `off` nowhere. Unset: `walk`; only the operator can switch it off.',
    ),
  signals: z
    .enum(SIGNALS_MODES)
    .default('report')
    .describe(
      'What happens to pages whose site does not want models to read them (Content-Signal, Content-Usage, TDM, `noai`): it is said on the result, or the page is refused.',
    ),
  hidden: z
    .enum(HIDDEN_MODES)
    .default('strip')
    .describe(
      'What happens to pages with text that readers cannot see. It is left out; `flag` also marks the page as degraded, and `refuse` refuses it.',
    ),
  canaries: secrets()
    .refine((given) => given.length <= CANARIES_MAX && given.every(isCanary), {
      error: `must be at most ${CANARIES_MAX} texts of 8 to 200 characters, with at least 8 letters or digits.`,
    })
    .default([])
    .describe('Texts that never leave, in any common encoding; a call that contains one is refused.'),
};

/** Checks the rules of a workspace, an agent or a call. What is not set restricts nothing. */
export function checkedPolicy(given: unknown): Policy {
  const { success, data, error } = z.strictObject(policyRules).safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    throw new HeadgateError(
      'invalid_request',
      own`policy ${named(issue?.path.join('.') ?? '')}: ${named(issue?.message ?? 'is wrong')}`,
      { remediation: 'docs/guides/policy.md has all rules.' },
    );
  }
  const isSet = ([name, value]: [string, unknown]): boolean => {
    if (name === 'mode') return value === 'report';
    if (name === 'secrets' || name === 'signals') return value !== 'report';
    if (name === 'hidden') return value !== 'strip';
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== 'any';
  };
  return Object.fromEntries(Object.entries(data).filter(isSet));
}

/** The `[policy]` section: what may be read, and who may be asked, whoever calls. */
export const policySection = z.strictObject(policyRules).prefault({} as never);
