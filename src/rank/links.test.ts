import { expect, test } from 'vitest';
import { seenPassage, withoutAddresses } from './links.ts';

test.each([
  ['a [mill](https://mill.example/a_(b)/c) and ![a wheel](wheel.png "Wheel")', 'a mill and a wheel'],
  ['[one](a)[two](b)', 'onetwo'],
  ['![](pixel.gif)', ''],
  ['in code `call[0](x)` and [out](y)', 'in code `call[0](x)` and out'],
  ['```js\ncall[0](x)\n```\n[out](y)', '```js\ncall[0](x)\n```\nout'],
  ['no [link] (here), nor ](there)', 'no [link] (here), nor ](there)'],
])('%j is seen as %j', (text, seen) => {
  expect(withoutAddresses(text)).toBe(seen);
});

test('a passage that was cut out of code is left as it is', () => {
  expect(seenPassage({ text: 'call[0](x)', opening: '```js' }).text).toBe('call[0](x)');
  expect(seenPassage({ text: 'call[0](x)' }).text).toBe('call0');
});

test('brackets without an end take little time', () => {
  for (const part of ['[', '](', '[a](', '[a](b', '`', '![', '[\\'])
    expect(withoutAddresses(part.repeat(100_000)).length).toBeGreaterThan(0);
});
