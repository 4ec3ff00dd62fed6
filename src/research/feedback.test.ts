import { expect, test } from 'vitest';
import { contentTerms } from '../evidence/terms.ts';
import { feedbackOf } from './feedback.ts';
import type { ResearchSource } from './state.ts';

const source = (site: string): ResearchSource =>
  ({ id: site, url: `https://${site}.example/` }) as ResearchSource;
const one = (site: string, text: string, merit: number, heading = '') => ({
  source: source(site),
  heading,
  terms: contentTerms(text),
  merit,
});

const ASKED = contentTerms('Why is the bridge of Tollan closed?');
const LIKELY = one('likely', 'The Varrow washed the piers of the bridge out.', 2, 'The closure');
const TOLD = 'Piers stand in the Varrow, which has a gravel bed.';
const OTHER = 'Lanterns hang over the deck, which has a wooden rail.';

test('what a likely sentence of another site tells in part counts more', () => {
  const [, told = 0, other = 0] = feedbackOf([LIKELY, one('a', TOLD, -1), one('b', OTHER, -1)], ASKED);
  expect(told).toBeGreaterThan(other + 0.1);
});

test('what the same site tells, or an unlikely sentence, adds nothing', () => {
  const [, same] = feedbackOf([LIKELY, one('likely', TOLD, -1)], ASKED);
  const [, unlikely] = feedbackOf([{ ...LIKELY, merit: -2 }, one('a', TOLD, -1)], ASKED);
  expect(same).toBe(0);
  expect(unlikely).toBe(0);
});

test('what stands under one heading with a likely sentence counts more than with an unlikely one', () => {
  const under = (merit: number): number =>
    feedbackOf([{ ...LIKELY, merit }, one('likely', OTHER, -1, 'The closure')], ASKED)[1] ?? 0;
  expect(under(2)).toBeGreaterThan(under(-2) + 0.5);
});

test('sixty sites that tell a little do not make up for an unlikely sentence', () => {
  const sites = Array.from({ length: 60 }, (_, at) => one(`site-${at}`, `${TOLD} Site ${at} says so.`, 2));
  const gained = (some: typeof sites): number =>
    feedbackOf([...some, one('a', OTHER + TOLD, -3)], ASKED).at(-1) ?? 0;
  expect(gained(sites)).toBeCloseTo(gained(sites.slice(0, 4)), 1);
});
