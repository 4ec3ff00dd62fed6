// What any Tavily client sends, against a gateway: only the address changes. With Tavily's own package it is
// `tavily({ apiKey, apiBaseURL: gateway })`; here the request is written out so that nothing has to be installed.
import assert from 'node:assert/strict';
import { startWorld } from './world.ts';

const world = await startWorld();
try {
  const gateway = await world.startGateway();
  const response = await fetch(`${gateway}/search`, {
    method: 'POST',
    headers: { authorization: 'Bearer tvly-anything-on-loopback', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'rust programming', max_results: 2, include_usage: true }),
  });
  const answer = (await response.json()) as {
    results: { title: string; url: string; score: number }[];
    response_time: number;
    usage: { credits: number };
    outcome: string;
  };
  console.log(answer.results.map(({ score, title }) => `${score.toFixed(2)}  ${title}`).join('\n'));
  assert.equal(response.status, 200);
  assert.equal(answer.results.length, 2);
  assert.equal(answer.usage.credits, 1);
  // Fields of ours come along; Tavily's clients pass over them.
  assert.equal(answer.outcome, 'ok');
} finally {
  await world.end();
}
