import { CARRIERS, DECLARATIONS } from './techniques.ts';
import { CONTROLS, STRUCTURES } from './structures.ts';

/** A page with a text that a reader sees or not. */
export interface HiddenCase {
  technique: string;
  name: string;
  html: string;
  isHidden: boolean;
}

export const SECRET =
  'The grey heron by the lower weir counts eleven boats before the evening bell rings twice.';

const PARAGRAPHS = [
  'The mill stands at the bend of the river, and its wheel has turned there for two hundred years, through floods, frosts and one long war.',
  'Every morning the miller opens the gate, listens to the water, and writes the level into a book that his grandfather began in the year of the great flood.',
  'In spring the meadows behind the house are under water, and the boats of the fishermen are tied to the apple trees until the river goes back to its bed.',
  'Visitors come on Sundays. They buy flour and honey, walk along the dam, and ask why the wheel still turns although the stones are silent.',
];

const page = (head: string, inside: string): string =>
  `<!doctype html><html lang="en"><head><title>The mill</title>${head}</head><body><article><h1>The mill at the bend</h1><p>${PARAGRAPHS[0]}</p><p>${PARAGRAPHS[1]}</p>${inside}<p>${PARAGRAPHS[2]}</p><p>${PARAGRAPHS[3]}</p></article></body></html>`;

/** All cases: each declaration in the style attribute and by some of the carriers in turn, then structures and controls. */
export function makeCases(): HiddenCase[] {
  const cases: HiddenCase[] = [];
  let turn = 0;
  const labelled = DECLARATIONS.flatMap(({ name: technique, hidden, seen }) => [
    ...hidden.map((own) => ({ technique, own, isHidden: true })),
    ...seen.map((own) => ({ technique, own, isHidden: false })),
  ]);
  for (const { technique, own, isHidden } of labelled) {
    const add = (name: string, html: string): void =>
      void cases.push({ technique, name: `${name}: ${own}`, html, isHidden });
    add('style attribute', page('', `<div style="${own}">${SECRET}</div>`));
    for (let count = 0; count < 3; count++) {
      const carrier = CARRIERS[turn++ % CARRIERS.length]!;
      add(carrier.name, page(carrier.head(own), `${carrier.open}${SECRET}${carrier.close}`));
    }
  }
  for (const [technique, list] of [
    ['structure', STRUCTURES],
    ['control', CONTROLS],
  ] as const)
    for (const [name, isHidden, head, inside] of list)
      cases.push({ technique, name, html: page(head, inside.replaceAll('SECRET', SECRET)), isHidden });
  return cases;
}
