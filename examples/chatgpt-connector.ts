// What ChatGPT's connectors and deep research call: `search` and `fetch` at /mcp?tools=chatgpt. The address of the connector is that
// of your gateway, and people sign in there (docs/guides/sign-in.md).
import assert from 'node:assert/strict';
import { callTool, startWorld } from './world.ts';

const world = await startWorld();
try {
  const connector = `${await world.startGateway()}/mcp?tools=chatgpt`;
  const read = async <Answer>(name: string, input: object): Promise<Answer> => {
    const { content, isError } = await callTool(connector, name, input);
    assert.notEqual(isError, true);
    return JSON.parse(content[0]?.text ?? '') as Answer;
  };

  const found = await read<{ results: { id: string; title: string; url: string }[] }>('search', {
    query: 'rust programming',
  });
  for (const { title, url } of found.results) console.log(`${title}  ${url}`);
  // ChatGPT cites by `url`, and asks for a page by `id`; here both are the address.
  assert.ok(found.results.length > 0 && found.results.every(({ id, url }) => id === url));

  const page = await read<{ id: string; title: string; text: string; url: string }>('fetch', {
    id: `${world.url}/web/river/gate`,
  });
  console.log(page.text);
  assert.match(page.text, /built in 1911/);
} finally {
  await world.end();
}
