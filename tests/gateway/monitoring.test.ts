import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FAILURES } from '../../src/core/errors.ts';
import { POLICY_LEVELS } from '../../src/core/gate.ts';
import { OUTCOMES } from '../../src/core/outcome.ts';
import { HEALTH_STATES } from '../../src/routing/provider-health.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { root } from '../support/packed.ts';

/** The dashboard and the alert rules of `packaging/monitoring`, held to what a gateway's `/metrics` prints. */

const read = (name: string): string => readFileSync(join(root, 'packaging/monitoring', name), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  templating: { list: { definition?: string }[] };
};
const alerts = parse(read('alerts.yaml')) as {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
};
const rules = alerts.groups.flatMap((group) => group.rules);

/** What Prometheus adds to every series that it scrapes. */
const SCRAPED = ['instance', 'job'];
/** The labels with a closed list of values. */
const VALUES: Record<string, readonly string[]> = {
  outcome: OUTCOMES,
  state: HEALTH_STATES,
  code: Object.keys(FAILURES),
  cached: ['true', 'false'],
  level: POLICY_LEVELS,
  decision: ['denied', 'reported'],
};

/** Printed samples: each name with its labels and its type. */
const printed = new Map<string, { labels: Set<string>; type: string }>([
  ['up', { labels: new Set(SCRAPED), type: 'gauge' }],
]);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({
    config: (sim) => ({
      'providers.tavily.api_key': 'tvly-operator-key',
      'search.provider': 'tavily',
      'policy.operations': ['search'],
      'telemetry.otlp_endpoint': `${sim}/nobody`,
    }),
  });
  const { key } = await gateway.newKey({ tier: 'pro' });
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' };
  await gateway.post('/search', { query: 'tidal mills' }, headers);
  await gateway.post('/search', { query: '' }, headers);
  await gateway.post('/extract', { urls: ['https://mill.example/'] }, headers);
  const params = { name: 'web_search', arguments: { query: 'weirs' } };
  // The answer is a stream; the call has ended when it has been read.
  await (await gateway.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)).text();
  const text = await (await gateway.app.request('http://127.0.0.1/metrics', { headers })).text();
  let type = '';
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('#')) type = line.split(' ').at(-1) ?? '';
    else {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      const found = printed.get(name) ?? { labels: new Set(SCRAPED), type };
      for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) found.labels.add(label);
      printed.set(name, found);
    }
  }
});
afterAll(() => gateway.close());

interface Selected {
  name: string;
  matchers: [label: string, value: string][];
  isRange: boolean;
  /** The function that is applied to it. */
  within: string;
}

const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool']);
const SELECTOR = /(?:(\w+)\()?\s*\b([a-zA-Z_:][\w:]*)\b(?!\s*\()(?:\{((?:[^}"]|"[^"]*")*)\})?(\[[^\]]+\])?/g;

/** The series that an expression selects, and the labels that it groups by. */
function readExpression(expr: string): { selected: Selected[]; grouped: string[] } {
  const grouped: string[] = [];
  const rest = expr.replaceAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
    grouped.push(...list.split(',').map((label) => label.trim()));
    return '';
  });
  const selected = [...rest.matchAll(SELECTOR)]
    .filter(([, , name = '']) => !WORDS.has(name))
    .map(([, within = '', name = '', matchers = '', range]) => ({
      name,
      within,
      isRange: range !== undefined,
      matchers: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = '', value = '']): [string, string] => [label, value],
      ),
    }));
  return { selected, grouped };
}

/** What is wrong with an expression, in words. */
function problemsOf(expr: string): string[] {
  const { selected, grouped } = readExpression(expr);
  if (selected.length === 0) return ['selects nothing'];
  return selected.flatMap(({ name, matchers, isRange, within }) => {
    const known = printed.get(name);
    if (known === undefined) return [`${name} is not printed`];
    const labels = [...matchers.map(([label]) => label), ...grouped];
    const values = matchers.flatMap(([label, value]) =>
      (VALUES[label] === undefined ? [] : value.split('|')).map((one): [string, string] => [label, one]),
    );
    return [
      ...labels.filter((label) => !known.labels.has(label)).map((label) => `${name} has no label ${label}`),
      ...values
        .filter(([label, value]) => VALUES[label]?.includes(value) === false)
        .map(([label, value]) => `${label} is never ${value}`),
      ...((known.type !== 'gauge') !== isRange && within !== 'resets' ? [`${name} is a ${known.type}`] : []),
    ];
  });
}

const labelsIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, label = '']) => label);

describe('the reader of expressions', () => {
  test.each([
    ['rate(headgate_nothing_total[5m])', 'headgate_nothing_total is not printed'],
    ['sum by (nobody) (rate(headgate_calls_total[5m]))', 'headgate_calls_total has no label nobody'],
    ['rate(headgate_calls_total{agent="a"}[5m])', 'headgate_calls_total has no label agent'],
    ['rate(headgate_calls_total{outcome=~"ok|fine"}[5m]) > 0', 'outcome is never fine'],
    ['headgate_calls_total > 1', 'headgate_calls_total is a counter'],
    ['rate(headgate_requests_running[5m])', 'headgate_requests_running is a gauge'],
    ['vector(1)', 'selects nothing'],
  ])('finds what is wrong with %s', (expr, problem) => {
    expect(problemsOf(expr)).toEqual([problem]);
  });
});

test('every panel of the dashboard asks for what is printed, and its legend names a label of the answer', () => {
  const targets = dashboard.panels.flatMap(({ title, targets: list }) =>
    list.map((one) => ({ title, ...one })),
  );
  expect(targets.length).toBeGreaterThan(10);
  const wrong = targets.flatMap(({ title, expr, legendFormat }) => {
    const { grouped } = readExpression(expr);
    const answered = grouped.length > 0 ? grouped : SCRAPED;
    const unknown = labelsIn(legendFormat, /\{\{(\w+)\}\}/g).filter((label) => !answered.includes(label));
    return [...problemsOf(expr), ...unknown.map((label) => `legend: ${label}`)].map(
      (one) => `${title}: ${one}`,
    );
  });
  expect(wrong).toEqual([]);
});

test('every metric of our own is on the dashboard or in an alert', () => {
  const exprs = [...dashboard.panels.flatMap(({ targets }) => targets), ...rules].map(({ expr }) => expr);
  const used = exprs.flatMap((expr) => readExpression(expr).selected.map(({ name }) => name));
  const families = [...printed.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  const unused = families.filter(
    (family) => /^(headgate|mcp)_/.test(family) && !used.some((name) => name.startsWith(family)),
  );
  expect(unused).toEqual(['headgate_spans_exported_total']);
});

test('every alert asks for what is printed, and its text names labels of the answer', () => {
  const wrong = rules.flatMap(({ alert, expr, annotations }) => {
    const { grouped } = readExpression(expr);
    const answered = grouped.length > 0 ? grouped : SCRAPED;
    const named = labelsIn(Object.values(annotations).join(' '), /\$labels\.(\w+)/g);
    const unknown = named.filter((label) => !answered.includes(label)).map((label) => `text: ${label}`);
    return [...problemsOf(expr), ...unknown].map((one) => `${alert}: ${one}`);
  });
  expect(wrong).toEqual([]);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});
