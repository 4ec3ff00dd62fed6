// The reference pages, printed from the code they describe: one function per page.
import { z } from 'zod';
import { WELL_KNOWN } from '../../src/config/load.ts';
import { shapeOf } from '../../src/config/secrets.ts';
import { configSchema } from '../../src/config/schema.ts';
import { FAILURES } from '../../src/core/errors.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { operations } from '../../src/gateway/operations.ts';
import { providers } from '../../src/providers/index.ts';
import { CAPABILITIES, capabilitiesOf } from '../../src/providers/provider.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { toInputSchema } from '../../src/toolsets/input-schema.ts';

const NOTE = '<!-- Printed by `npm run generate`; edit the code, not this page. -->\n';

const table = (head: string[], rows: string[][]): string => {
  const line = (cells: string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};

interface Json {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Json[];
  items?: Json;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  description?: string;
}

const jsonOf = (schema: unknown): Json =>
  z.toJSONSchema(schema as z.ZodType, { io: 'output', unrepresentable: 'any' }) as unknown as Json;

/** A type in words: `1–30`, `basic, advanced`, `list of string`. */
function kind(json: Json): string {
  if (json.enum !== undefined) return json.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (json.anyOf !== undefined) return [...new Set(json.anyOf.map(kind))].join(' or ');
  if (json.type === 'array')
    return `list of ${kind(json.items ?? {})}${json.maxItems === undefined ? '' : ` (at most ${json.maxItems})`}`;
  const range = [json.minimum, json.maximum].filter(
    (bound) => bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER,
  );
  return range.length === 2 ? `${range[0]}–${range[1]}` : String(json.type ?? 'text');
}

const shown = (value: unknown): string => (value === undefined ? '' : `\`${JSON.stringify(value)}\``);

function configLeaves(schema: unknown, path: string[]): string[][] {
  const shape = shapeOf(schema);
  if (shape !== undefined)
    return Object.entries(shape).flatMap(([name, below]) => configLeaves(below, [...path, name]));
  const json = jsonOf(schema);
  const key = path.join('.');
  return [
    [
      `\`${key}\``,
      `\`HEADGATE_${path.join('__').toUpperCase()}\``,
      kind(json),
      shown(json.default),
      json.description ?? '',
    ],
  ];
}

function configuration(): string {
  const known = Object.entries(WELL_KNOWN).map(([name, key]) => [`\`${name}\``, `\`${key}\``]);
  return [
    NOTE,
    '# Configuration',
    'Headgate reads `headgate.toml` (in the current folder, else in `~/.headgate`, or where `HEADGATE_CONFIG` points), then the environment, then flags; later wins. ' +
      'Every key has an environment twin. `headgate config` prints the effective values and where each comes from. A mistake stops the start and names the key, the value, the rule and the line.',
    '## Every key',
    table(['key', 'environment', 'values', 'default', 'meaning'], configLeaves(configSchema, [])),
    '## Well-known names',
    table(['variable', 'key'], known),
    '',
  ].join('\n\n');
}

function operationPages(): string {
  const one = operations.map(({ contract }) => {
    const fields = Object.entries((contract.input as z.ZodObject).shape as Record<string, z.ZodType>).map(
      ([name, field]) => {
        const json = jsonOf(field);
        const isRequired = !field.safeParse(undefined).success;
        return [
          `\`${name}\``,
          kind(json),
          isRequired ? 'required' : shown(json.default),
          json.description ?? '',
        ];
      },
    );
    return `## ${contract.name}\n\n${contract.description}\n\n${table(['field', 'values', 'default', 'meaning'], fields)}`;
  });
  return [
    NOTE,
    '# Operations',
    'The same fields everywhere: HTTP bodies, SDK calls, and CLI flags (`max_results` is `--max-results`).',
    ...one,
    '',
  ].join('\n\n');
}

function toolPages(): string {
  const one = toolsets.map((toolset) => {
    const tools = toolset.tools.map((tool) => {
      const schema = toInputSchema(tool.input);
      const rows = Object.entries(schema.properties).map(([name, json]) => [
        `\`${name}\``,
        kind(json as Json),
        schema.required?.includes(name) === true ? 'required' : shown((json as Json).default),
        (json as Json).description ?? '',
      ]);
      const changes =
        tool.annotations.readOnlyHint === true
          ? ''
          : ' It can change and delete what it keeps (`destructiveHint`).';
      return `### ${tool.name}\n\n${tool.title}. ${tool.description}${changes}\n\n${table(['argument', 'values', 'default', 'meaning'], rows)}`;
    });
    return [`## \`--tools ${toolset.id}\``, `${toolset.summary}.`, ...tools].join('\n\n');
  });
  return [
    NOTE,
    '# Toolsets',
    '`headgate mcp --tools ID` serves one of these over stdio. Tools are annotated as reading the web (`readOnlyHint`, `openWorldHint`), except where it says otherwise.',
    ...one,
    '',
  ].join('\n\n');
}

const errors = (): string =>
  [
    NOTE,
    '# Errors',
    'Every failure is one of these. `type` is what to branch on; a retryable one may be tried again unchanged.',
    table(
      ['code', 'type', 'HTTP', 'retryable'],
      Object.entries(FAILURES).map(([code, row]) => [
        `\`${code}\``,
        row.type,
        String(row.status),
        row.retryable ? 'yes' : 'no',
      ]),
    ),
    '',
  ].join('\n\n');

const limits = (): string =>
  [
    NOTE,
    '# Limits',
    'Every loop, queue, body, list and wait is bounded here (`src/core/limits.ts`).',
    table(
      ['limit', 'value'],
      Object.entries(LIMITS).map(([name, value]) => [`\`${name}\``, value.toLocaleString('en-US')]),
    ),
    '',
  ].join('\n\n');

const providerPage = (): string =>
  [
    NOTE,
    '# Providers',
    'In the order in which `auto` asks them. A provider is used when what it needs is set.',
    table(
      ['id', 'name', 'search', 'read', 'crawl', 'map', 'rank', 'key', 'pace', 'priced'],
      providers.map((provider) => [
        `\`${provider.id}\``,
        `[${provider.title}](${provider.homepage})`,
        ...CAPABILITIES.map((capability) => (capabilitiesOf(provider).includes(capability) ? 'yes' : '')),
        provider.keys === 'none'
          ? 'none'
          : `${provider.keys}${provider.keyVariable === undefined ? '' : ` (\`${provider.keyVariable}\`)`}`,
        `${provider.paceMs} ms`,
        provider.creditPrice > 0 ? 'yes' : provider.unverified?.startsWith('price') ? 'not known' : 'free',
      ]),
    ),
    'Some facts are neither from the provider’s own documentation or code nor seen in a live answer. Set `credit_price` where the price is one of them:',
    providers
      .filter(({ unverified }) => unverified !== undefined)
      .map(({ title, unverified }) => `- ${title}: ${unverified}`)
      .join('\n'),
    '',
  ].join('\n\n');

/** File → text. */
export const referencePages = (): Record<string, string> => ({
  'docs/reference/configuration.md': configuration(),
  'docs/reference/operations.md': operationPages(),
  'docs/reference/tools.md': toolPages(),
  'docs/reference/errors.md': errors(),
  'docs/reference/limits.md': limits(),
  'docs/reference/providers.md': providerPage(),
});
