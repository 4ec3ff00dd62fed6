// The types of `src/contract/types.ts` in plain TypeScript, with every field's description beside it: inferred types would
// need zod where the package is used. The build puts them into the declarations.
import { z } from 'zod';
import { answerContract } from '../../src/contract/answer.ts';
import { crawlContract, mapContract } from '../../src/contract/crawl.ts';
import { extractContract, extractHit } from '../../src/contract/extract.ts';
import {
  report,
  researchContract,
  researchSessionContract,
  session,
  verifyQuoteContract,
} from '../../src/contract/research.ts';
import { searchContract, searchHit } from '../../src/contract/search.ts';
import { OUTCOMES } from '../../src/core/outcome.ts';

interface Json {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Json[];
  oneOf?: Json[];
  allOf?: Json[];
  items?: Json;
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
  description?: string;
  default?: unknown;
  $defs?: Record<string, Json>;
}

const CONTRACTS = {
  Search: searchContract,
  Extract: extractContract,
  Answer: answerContract,
  Crawl: crawlContract,
  Map: mapContract,
  Research: researchContract,
  ResearchSession: researchSessionContract,
  VerifyQuote: verifyQuoteContract,
};

/** Parts of answers that have a name of their own. */
const PARTS = new Map<unknown, string>([
  [searchHit, 'SearchHit'],
  [extractHit, 'ExtractHit'],
  [report, 'ResearchReport'],
  [session, 'ResearchSession'],
]);

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const OUTCOME_WORDS = OUTCOMES.map(literal).join(' | ');

export function contractTypes(): string {
  const declared = new Map<string, string>();
  for (const [part, name] of PARTS) declared.set(name, declare(name, part as z.ZodType));
  for (const [name, contract] of Object.entries(CONTRACTS)) {
    declared.set(`${name}Request`, declare(`${name}Request`, contract.input, contract.description));
    declared.set(`${name}Output`, declare(`${name}Output`, contract.output));
  }
  return [HEAD, ...declared.values()].join('\n\n') + '\n';
}

const HEAD = `import type { Outcome } from '../core/outcome.js';`;

function declare(name: string, schema: z.ZodType, description?: string): string {
  // Names are given here and nowhere else, so that no other page or schema changes by them.
  const metadata = {
    get: (part: z.ZodType) => {
      const id = part === schema ? undefined : PARTS.get(part);
      return { ...z.globalRegistry.get(part), ...(id === undefined ? {} : { id }) };
    },
    has: () => true,
  } as unknown as typeof z.globalRegistry;
  const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', metadata }) as Json;
  // Types, not interfaces: only they can be handed to something that takes any record.
  return `${comment(description ?? json.description, '')}export type ${name} = ${typeOf(json, '')};`;
}

function typeOf(json: Json, indent: string): string {
  if (json.$ref !== undefined) return json.$ref.split('/').at(-1) ?? 'unknown';
  if (json.const !== undefined) return literal(json.const);
  if (json.enum !== undefined) {
    const words = json.enum.map(literal).join(' | ');
    return words === OUTCOME_WORDS ? 'Outcome' : words;
  }
  const choices = json.anyOf ?? json.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(choice, indent)))].join(' | ');
  if (json.allOf !== undefined) return json.allOf.map((part) => typeOf(part, indent)).join(' & ');
  if (Array.isArray(json.type)) return json.type.map((type) => typeOf({ ...json, type }, indent)).join(' | ');
  if (json.type === 'array') return listOf(typeOf(json.items ?? {}, indent));
  if (json.type === 'object') return objectOf(json, indent);
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[
      json.type ?? ''
    ] ?? 'unknown'
  );
}

const listOf = (item: string): string =>
  /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;

function objectOf(json: Json, indent: string): string {
  const inner = `${indent}  `;
  const required = new Set(
    (json.required ?? []).filter((name) => json.properties?.[name]?.default === undefined),
  );
  const fields = Object.entries(json.properties ?? {}).map(([name, field]) => {
    const type = typeOf(field, inner);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    const note = comment(withDefault(field), inner);
    return required.has(name)
      ? `${note}${inner}${key}: ${type};`
      : `${note}${inner}${key}?: ${type} | undefined;`;
  });
  const more = json.additionalProperties;
  if (fields.length === 0)
    return `Record<string, ${typeof more === 'object' ? typeOf(more, inner) : 'unknown'}>`;
  if (typeof more === 'object') fields.push(`${inner}[name: string]: unknown;`);
  return `{\n${fields.join('\n')}\n${indent}}`;
}

function withDefault(field: Json): string | undefined {
  if (field.default === undefined) return field.description;
  return [field.description, `Default: \`${JSON.stringify(field.default)}\`.`].filter(Boolean).join(' ');
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined || text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
