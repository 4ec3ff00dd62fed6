import { z } from 'zod';
import { crawlJobContract } from '../contract/crawl.ts';
import { VERSION } from '../core/version.ts';
import type { Operation } from '../operations/operation.ts';
import { adminRoutes } from './admin/mount.ts';
import { wireOf } from './tavily/index.ts';
import { wireDoors } from './wires/index.ts';

type Json = Record<string, unknown>;

/** The whole HTTP API as an OpenAPI document, generated from the contracts. Crawls in the background need PostgreSQL. */
export function openapiOf(operations: Operation[], { hasCrawls = true } = {}): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headgate',
      version: VERSION,
      description:
        'Search, read and research the web for agents, over any provider. Compatible with Tavily’s API: point a Tavily client here.',
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key of a workspace.' },
        password: { type: 'http', scheme: 'basic', description: 'The key as the password.' },
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token, or a key with an admin scope.',
        },
      },
      schemas: { Failure: FAILURE },
    },
    paths: Object.fromEntries([
      ...operations.map((operation) => [
        `/${operation.contract.name}`,
        { post: describeOperation(operation), ...wiresAt(`/${operation.contract.name}`) },
      ]),
      ...(hasCrawls ? crawlPaths() : []),
      ['/usage', { get: describe('Credits used this month.', { security: [{ key: [] }] }) }],
      ['/feedback', { post: describe('Rate an answer.', { security: [{ key: [] }] }) }],
      ['/mcp', { post: describe('The tools over MCP (streamable HTTP).', { security: [{ key: [] }] }) }],
      ...wirePaths(operations),
      ...adminPaths(),
    ]),
  };
}

const FAILURE: Json = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'object',
      required: ['error'],
      properties: {
        error: { type: 'string' },
        code: { type: 'string' },
        retry_after: { type: 'integer' },
        request_id: { type: 'string' },
      },
    },
  },
};

function describeOperation(operation: Operation): Json {
  const { contract } = operation;
  const answer = schemaOf(contract.output, 'output');
  const more = wireOf(operation).adds ?? {};
  return describe(contract.title, {
    description: contract.description,
    security: [{ key: [] }, {}],
    requestBody: { required: true, content: json(schemaOf(contract.input, 'input')) },
    answer: { ...answer, properties: { ...(answer['properties'] as Json), ...more } },
  });
}

/** Crawls in the background. */
function crawlPaths(): [string, Json][] {
  const { title, description, input, output } = crawlJobContract;
  const answer = schemaOf(output, 'output');
  const security = [{ key: [] }, {}];
  const parameters = [parameter('id', 'path', { type: 'string' })];
  const after = parameter('after', 'query', { type: 'integer', minimum: 0 });
  const limit = parameter('limit', 'query', { type: 'integer', minimum: 1 });
  const format = parameter('format', 'query', { enum: ['jsonl', 'warc'] });
  return [
    [
      '/crawls',
      {
        post: describe(title, {
          description,
          security,
          requestBody: { required: true, content: json(schemaOf(input, 'input')) },
          answer,
        }),
        get: describe('List the crawls of the workspace, latest first.', { security }),
      },
    ],
    [
      '/crawls/{id}',
      {
        get: describe('How far a crawl is.', { security, parameters, answer }),
        delete: describe('Cancel a crawl; what was read stays.', { security, parameters, answer }),
      },
    ],
    [
      '/crawls/{id}/results',
      {
        get: describe('The results after a position, as lines of JSON or as a WARC file.', {
          security,
          parameters: [...parameters, after, limit, format],
        }),
      },
    ],
  ];
}

/** The other APIs at paths of their own. */
const wirePaths = (operations: Operation[]): [string, Json][] =>
  [...new Set(wireDoors.flatMap(({ routes }) => routes.map(({ path }) => path)))]
    .filter((path) => !operations.some(({ contract }) => path === `/${contract.name}`))
    .map((path) => [path.replace(/:(\w+)(?:\{.*?\})?/g, '{$1}'), wiresAt(path)]);

const wiresAt = (at: string): Json =>
  Object.fromEntries(
    wireDoors.flatMap(({ api, name, routes }) =>
      routes
        .filter(({ path, contentType }) => path === at && contentType === undefined)
        .map(({ method, path }) => [
          method.toLowerCase(),
          describe(`\`${name}\` in the form of ${api}’s API.`, {
            security: [{ key: [] }, { password: [] }],
            parameters: [...path.matchAll(/:(\w+)/g)].map(([, field = '']) =>
              parameter(field, 'path', { type: 'string' }),
            ),
          }),
        ]),
    ),
  );

function adminPaths(): [string, Json][] {
  const paths = new Map<string, Json>();
  for (const route of adminRoutes) {
    const path = `/admin${route.path.replace(/:(\w+)/g, '{$1}')}`;
    const fields = Object.entries((route.query as z.ZodObject | undefined)?.shape ?? {});
    const described = describe(route.summary, {
      security: route.scopeToWorkspace === undefined ? [{ admin: [] }] : [{ admin: [] }, { key: [] }],
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
          parameter(name ?? '', 'path', { type: 'string' }),
        ),
        ...fields.map(([name, schema]) => parameter(name, 'query', schemaOf(schema as z.ZodType, 'input'))),
      ],
      ...(route.body === undefined
        ? {}
        : { requestBody: { required: true, content: json(schemaOf(route.body, 'input')) } }),
    });
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: described });
  }
  return [...paths];
}

function describe(summary: string, { answer, ...rest }: Json): Json {
  return {
    summary,
    ...rest,
    responses: {
      200: { description: 'Done.', content: json((answer as Json | undefined) ?? { type: 'object' }) },
      default: { description: 'Failed.', content: json({ $ref: '#/components/schemas/Failure' }) },
    },
  };
}

const parameter = (name: string, place: string, schema: Json): Json => ({
  name,
  in: place,
  required: place === 'path',
  schema,
});

const json = (schema: Json): Json => ({ 'application/json': { schema } });

/** The JSON Schema of a contract. Preprocessing is tolerance, not contract, so the inner type is shown. */
function schemaOf(schema: z.ZodType, side: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
  }) as Json;
  if (side === 'input') relax(rest, schema);
  return rest;
}

/** A field with a default is optional in a request. */
function relax(described: Json, schema: z.ZodType): void {
  const { shape } = schema as { shape?: Record<string, z.ZodType> };
  if (shape === undefined || !Array.isArray(described['required'])) return;
  described['required'] = (described['required'] as string[]).filter(
    (name) => shape[name]?.safeParse(undefined).success === false,
  );
  delete described['additionalProperties'];
}
