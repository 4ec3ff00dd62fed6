import { z } from 'zod';
import { crawlContract, mapContract } from '../../contract/crawl.ts';
import { extractHit } from '../../contract/extract.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Body } from '../../gateway/door/request-body.ts';
import { crawlWire, mapWire } from '../../gateway/tavily/crawl.ts';
import { extractWire } from '../../gateway/tavily/extract.ts';
import { check, field, type Check } from './check.ts';
import type { Probe } from './probe.ts';
import { atMost, common, credits, none, post, refusal } from './tavily-call.ts';

/** `/extract`. */
export function extracts(page: string): Probe[] {
  const hit = extractHit.shape;
  const extract = (id: string, body: Body, checks: Check[] = []): Probe =>
    post(id, '/extract', body, { credits: [0, 1], checks });
  const gone = 'https://gone.invalid/';
  return [
    extract('extract', { urls: [page], include_favicon: true, include_usage: true }, [
      atMost('extract', 1),
      field('extract.result.url', 'results[].url', hit.url.min(1)),
      field('extract.result.raw_content', 'results[].raw_content', hit.raw_content.min(1)),
      field('extract.result.images', 'results[].images', hit.images, { in: 'any' }),
      none('extract.failed_results', 'failed_results'),
      credits('extract'),
      ...common('extract'),
    ]),
    extract('extract.one_url', { urls: page, format: 'text', extract_depth: 'basic', timeout: 30 }, [
      atMost('extract.one_url', 1),
    ]),
    extract('extract.passages', { urls: [page], query: 'example', chunks_per_source: 5 }),
    extract('extract.failing', { urls: [gone] }, [
      none('extract.failing.results', 'results'),
      field(
        'extract.failing.failed',
        'failed_results',
        z.array(z.object({ url: z.string(), error: z.string().min(1) })).length(1),
        {
          expects: 'one {url, error}',
        },
      ),
    ]),
    refusal(
      'extract.refused.urls_many',
      '/extract',
      { urls: Array.from({ length: LIMITS.urlsPerCallMax + 1 }, (_, at) => `${gone}${at}`) },
      extractWire.decode,
    ),
    refusal('extract.refused.urls_missing', '/extract', {}),
    refusal('extract.refused.extract_depth', '/extract', { urls: [page], extract_depth: 'deep' }),
    refusal('extract.refused.format', '/extract', { urls: [page], format: 'pdf' }),
    refusal('extract.refused.not_json', '/extract', '{"urls": '),
  ];
}

/** `/crawl` and `/map`. */
export function sites(page: string): Probe[] {
  // Without a scheme, as people write it.
  const url = page.replace(/^https?:\/\//, '');
  const { shape: crawled } = crawlContract.output.shape.results.element;
  return [
    post(
      'crawl',
      '/crawl',
      { url, limit: 2, chunks_per_source: 3, select_paths: [], include_usage: true },
      {
        credits: [1, 2],
        patience: 2.5,
        checks: [
          check('crawl.base_url', `base_url: ${url}`, 'base_url', (value) => value === url),
          atMost('crawl', 2),
          field('crawl.result.url', 'results[].url', crawled.url.min(1)),
          field('crawl.result.raw_content', 'results[].raw_content', crawled.raw_content.nullable()),
          credits('crawl'),
          ...common('crawl'),
        ],
      },
    ),
    post(
      'map',
      '/map',
      { url, limit: 3, include_usage: true },
      {
        credits: [0, 1],
        patience: 2.5,
        checks: [
          check('map.base_url', `base_url: ${url}`, 'base_url', (value) => value === url),
          atMost('map', 3),
          field('map.result', 'results[]', mapContract.output.shape.results.element.min(1)),
          credits('map'),
          ...common('map'),
        ],
      },
    ),
    ...(['crawl', 'map'] as const).flatMap((name) => {
      const { decode } = name === 'crawl' ? crawlWire : mapWire;
      const limits = { max_depth: 6, max_breadth: 501, limit: 0, timeout: 151 };
      return [
        refusal(`${name}.refused.url_missing`, `/${name}`, { url: '' }, decode),
        ...Object.entries(limits).map(([limit, value]) =>
          refusal(`${name}.refused.${limit}`, `/${name}`, { url, [limit]: value }),
        ),
      ];
    }),
  ];
}
