import { expect, test } from 'vitest';
import { z } from 'zod';
import { own } from '../core/own-text.ts';
import { fakeEngine, testCall } from '../../tests/support/tools/fake-engine.ts';
import { bindTools } from './bind.ts';
import { defineTool } from './tool.ts';

test('a call ends with its tool, so that its timer does not wait for the deadline', async () => {
  const tool = defineTool({
    name: 'tide',
    title: 'Tide table',
    description: 'Says when the tide is high.',
    input: z.object({ fails: z.boolean() }),
    run: async ({ fails }) => {
      if (fails) throw new Error('ebb');
      return { text: own`14:20` };
    },
    fail: () => ({ text: own`No tide.`, isError: true }),
  });
  let ended = 0;
  const [bound] = bindTools([tool], fakeEngine(), () => ({ ...testCall(), end: () => void (ended += 1) }));
  expect(await bound?.execute({ fails: false })).toEqual({ content: [{ type: 'text', text: '14:20' }] });
  expect(ended).toBe(1);
  expect(await bound?.execute({ fails: true })).toMatchObject({ isError: true });
  expect(ended).toBe(2);
});
