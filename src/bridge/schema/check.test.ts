import * as fc from 'fast-check';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { describe, expect, test } from 'vitest';
import { explainProblems, problemsOf } from './check.ts';
import type { JsonSchema } from '../tool.ts';

const explain = (schema: JsonSchema, value: unknown): string => explainProblems(problemsOf(schema, value));
const field = (schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { field: schema } });

describe('a problem is said in words that a model can act on', () => {
  const cases: [JsonSchema, unknown, string][] = [
    [{ type: 'string' }, 5, 'field: must be text, not a whole number.'],
    [{ type: ['string', 'null'] }, [], 'field: must be text or null, not a list.'],
    [{ type: 'integer' }, 1.5, 'field: must be a whole number, not a number.'],
    [{ type: 'boolean' }, null, 'field: must be true or false, not null.'],
    [{ maximum: 30 }, 31, 'field: at most 30. Ask for 30 or fewer.'],
    [{ minimum: 1 }, 0, 'field: at least 1. Ask for 1 or more.'],
    [{ exclusiveMinimum: 0 }, 0, 'field: must be above 0.'],
    [{ multipleOf: 0.1 }, 0.25, 'field: must be a multiple of 0.1.'],
    [{ minLength: 1 }, '', 'field: must not be empty.'],
    [{ maxLength: 2 }, 'abc', 'field: at most 2 characters, not 3. Shorten it.'],
    [{ pattern: '^a' }, 'b', 'field: must match ^a.'],
    [{ enum: ['basic', 'advanced'] }, 'deep', 'field: must be one of basic, advanced.'],
    [{ const: 3 }, 4, 'field: must be 3.'],
    [{ maxItems: 1 }, [1, 2], 'field: at most 1 of them, not 2. Give fewer.'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'field: must not repeat an entry.',
    ],
    [{ items: { type: 'string' } }, ['a', 1], 'field[1]: must be text, not a whole number.'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], 'field[1]: not allowed. Leave it out.'],
    [{ required: ['from'] }, {}, 'field.from: required.'],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'field.b: not known. Known: a.'],
    [
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      true,
      'field: must be text, not true or false. Or: must be a number, not true or false.',
    ],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      'field: fits several forms. Give exactly one of them.',
    ],
    [{ not: { type: 'string' } }, 'a', 'field: not allowed in this form.'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'field.b: required together with a.'],
    [{ if: { type: 'string' }, else: { minimum: 2 } }, 1, 'field: at least 2. Ask for 2 or more.'],
  ];
  test.each(cases)('%j refuses %j', (schema, value, message) => {
    expect(explain(field(schema), { field: value })).toBe(message);
  });

  test('a missing argument is asked for with its description', () => {
    const schema = { properties: { query: { description: 'What to look for.' } }, required: ['query'] };
    expect(explain(schema, {})).toBe('query: required. What to look for.');
  });
});

describe('a schema', () => {
  test('may refer to itself; a value without end is refused, not followed', () => {
    const tree: JsonSchema = {
      type: 'object',
      properties: { next: { $ref: '#' } },
      additionalProperties: false,
    };
    expect(explain(tree, { next: { next: { other: 1 } } })).toBe('next.next.other: not known. Known: next.');
    expect(explain({ $ref: '#' }, {})).toBe('nested too deeply. Give a flatter value.');
  });

  test('may use definitions, escaped names, and references that cannot be resolved', () => {
    const schema = { $defs: { 'a/b': { type: 'string' } }, properties: { x: { $ref: '#/$defs/a~1b' } } };
    expect(explain(schema, { x: 1 })).toBe('x: must be text, not a whole number.');
    expect(explain({ $ref: 'https://example.com/schema' }, 1)).toBe('');
    expect(explain({ $ref: '#/%E0%A4%A' }, 1)).toBe('');
  });

  test('with several recursive forms cannot be made to work without end by a deep value', () => {
    const forms = { anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' }, minItems: 1 }], maxItems: 1 };
    const schema = { type: ['array', 'null'], allOf: [forms, forms] };
    let value: unknown = 1;
    for (let depth = 0; depth < 60; depth += 1) value = [value];
    expect(explain(schema, value)).toContain('too large to check. Give a smaller value.');
  });

  test('with a pattern that JavaScript cannot read does not check it', () => {
    expect(explain({ pattern: '(?P<name>a)' }, 'b')).toBe('');
  });

  test('names of a prototype are not properties of it', () => {
    expect(explain({ required: ['toString'] }, {})).toBe('toString: required.');
    expect(explain({ properties: {}, additionalProperties: false }, { constructor: 1 })).toContain(
      'constructor',
    );
  });
});

test('agrees with Ajv on whether a value fits, for arbitrary schemas and values', () => {
  const ajv = new AjvJsonSchemaValidator();
  const scalar = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.integer({ min: -3, max: 3 }),
    fc.boolean(),
    fc.constant(null),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      tie('object'),
      tie('list'),
      tie('combined'),
    ),
    leaf: fc.oneof(
      fc.record({
        type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'object', 'array'),
      }),
      fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: scalar }),
      fc.record({ minimum: fc.integer({ min: -2, max: 2 }), maxLength: fc.nat(2) }),
      fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5), pattern: fc.constantFrom('^a', 'b$') }),
    ),
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { noNullPrototype: true }),
        required: fc.subarray(['a', 'b']),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        minProperties: fc.nat(2),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    list: fc.record(
      { items: tie('schema'), minItems: fc.nat(2), uniqueItems: fc.boolean(), contains: tie('schema') },
      { requiredKeys: [], noNullPrototype: true },
    ),
    combined: fc.record(
      {
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('record')),
    record: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(schema, value, (anySchema, anyValue) => {
      const document = anySchema as JsonSchema;
      const expected = ajv.getValidator(document)(anyValue).valid;
      expect(problemsOf(document, anyValue).length === 0).toBe(expected);
    }),
    { numRuns: 100 },
  );
});
