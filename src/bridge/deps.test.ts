import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { deserializeDeps, serializeDeps } from './deps.ts';

test('SC-009: arbitrary JSON values go to text and back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deserializeDeps(serializeDeps(value))).toStrictEqual(value);
    }),
  );
});

test('SC-009: so do dates, maps, sets, undefined, and objects that look like our marks', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(undefined, null, true, -0, 'Date'),
      fc.string(),
      fc.date({ noInvalidDate: true }),
      fc.array(tie('value')),
      fc.array(tie('value')).map((entries) => new Set(entries)),
      fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
      fc.dictionary(fc.constantFrom('$type', 'value', '__proto__', 'a'), tie('value'), {
        noNullPrototype: true,
      }),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      expect(deserializeDeps(serializeDeps(each))).toStrictEqual(each);
    }),
  );
});

test('text that somebody else wrote with our mark is refused, not guessed', () => {
  expect(() => deserializeDeps('{"$type":"Function"}')).toThrow('unknown mark in the text');
});

test('dependencies are bounded in depth and size', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 200; level += 1) deep = { deep };
  expect(() => serializeDeps(deep)).toThrow('nested too deeply');
  expect(() => serializeDeps('x'.repeat(5_000_000))).toThrow('5000002 bytes');
});
