import { expect, test } from 'vitest';
import { answerTypeOf, canAnswer } from './answer-type.ts';

test.each([
  ['Why did the mill close?', 'why', 'It closed because yarn had become dear.', 'It closed in 2018.'],
  ['Warum schloss die Mühle?', 'why', 'Sie schloss wegen der Preise.', 'Sie schloss 2018.'],
  ['なぜ廃止されたのか', 'why', '赤字のため廃止された。', '1日に廃止された。'],
  ['When did the mill close?', 'when', 'It closed in May 2018.', 'It took 13 minutes.'],
  ['What did the bridge cost?', 'cost', 'It cost 23 million euros.', 'It has 23 spans.'],
  ['Combien a-t-il coûté ?', 'cost', 'Le pont a coûté 23 millions d’euros.', 'Il a 23 arches.'],
  ['How many weavers lost their work?', 'count', 'All 71 weavers did.', 'All weavers did.'],
  ['Who bought the mill?', 'who', 'It was bought by Marta Ribero.', 'It was bought by a neighbour.'],
  ['Who runs the ferry?', 'who', 'Nordlinje runs the ferry to Skarsholm.', 'The ferry runs daily.'],
  ['Was kostet die Fahrt?', 'cost', 'Die Fahrt kostet 50 Euro.', '12 Millionen Besucher kamen.'],
] as const)('%s asks for %s', (question, type, answer, other) => {
  expect(answerTypeOf(question)).toBe(type);
  expect(canAnswer(type, answer, question)).toBe(true);
  expect(canAnswer(type, other, question)).toBe(false);
});

test.each([
  ['How many died and why?', 'count'],
  ['Why did the mill close when prices fell?', 'why'],
  ['How much did the Merrow bridge cost?', 'cost'],
  ['What was the effect of the price cap?', undefined],
])('%s asks first for %s', (question, type) => {
  expect(answerTypeOf(question)).toBe(type);
});
