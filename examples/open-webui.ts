// What Open WebUI sends to its external search engine and web loader. In its settings, or as variables:
//   WEB_SEARCH_ENGINE=external   EXTERNAL_WEB_SEARCH_URL=https://gateway.example/open-webui/search
//   WEB_LOADER_ENGINE=external   EXTERNAL_WEB_LOADER_URL=https://gateway.example/open-webui/loader
import assert from 'node:assert/strict';
import { startWorld } from './world.ts';

const world = await startWorld();
try {
  const gateway = await world.startGateway();
  const post = async <Answer>(path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${gateway}/open-webui/${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer anything-on-loopback', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    return (await response.json()) as Answer;
  };

  const hits = await post<{ link: string; title: string; snippet: string }[]>('search', {
    query: 'rust programming',
    count: 2,
  });
  for (const { title, link } of hits) console.log(`${title}  ${link}`);
  assert.equal(hits.length, 2);

  const pages = await post<{ page_content: string; metadata: { source: string } }[]>('loader', {
    urls: [`${world.url}/web/river/gate`],
  });
  console.log(pages[0]?.page_content);
  assert.match(pages[0]?.page_content ?? '', /built in 1911/);
} finally {
  await world.end();
}
