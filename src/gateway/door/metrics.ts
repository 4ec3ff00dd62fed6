/** A counter, a gauge or a histogram with labels, in Prometheus' text format. */
export interface Metrics {
  count(name: string, help: string, labels?: Labels, by?: number): void;
  /** A duration in seconds. */
  observe(name: string, help: string, seconds: number, labels?: Labels): void;
  /** A value, or one per set of labels, that is read when the metrics are requested. */
  gauge(name: string, help: string, read: () => number | Sample[]): void;
  /** Like `gauge`, for a value that only grows. */
  total(name: string, help: string, read: () => number): void;
  text(): string;
}

type Labels = Record<string, string | number>;

interface Sample {
  labels: Labels;
  value: number;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SERIES_MAX = 500;

interface Family {
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  series: Map<string, { value: number } | { buckets: number[]; sum: number; count: number }>;
  read?: () => number | Sample[];
}

/** A small registry of our own. The number of series is bounded, because labels must not grow without limit. */
export function createMetrics(): Metrics {
  const families = new Map<string, Family>();
  const family = (name: string, help: string, type: Family['type']): Family => {
    const found = families.get(name);
    if (found !== undefined) return found;
    const made: Family = { help, type, series: new Map() };
    families.set(name, made);
    return made;
  };
  return {
    count: (name, help, labels = {}, by = 1) => {
      const { series } = family(name, help, 'counter');
      const key = labelText(labels);
      const found = series.get(key);
      if (found !== undefined && 'value' in found) found.value += by;
      else if (series.size < SERIES_MAX) series.set(key, { value: by });
    },
    observe: (name, help, seconds, labels = {}) => {
      const { series } = family(name, help, 'histogram');
      const key = labelText(labels);
      let found = series.get(key);
      if (found === undefined) {
        if (series.size >= SERIES_MAX) return;
        found = { buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
        series.set(key, found);
      }
      if (!('buckets' in found)) return;
      found.sum += seconds;
      found.count += 1;
      const index = BUCKETS.findIndex((bound) => seconds <= bound);
      if (index >= 0) found.buckets[index] = (found.buckets[index] ?? 0) + 1;
    },
    gauge: (name, help, read) => {
      family(name, help, 'gauge').read = read;
    },
    total: (name, help, read) => {
      family(name, help, 'counter').read = read;
    },
    text: () => `${[...families].flatMap(([name, one]) => linesOf(name, one)).join('\n')}\n`,
  };
}

function linesOf(name: string, { help, type, series, read }: Family): string[] {
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  if (read !== undefined) {
    const value = read();
    const samples = typeof value === 'number' ? [{ labels: {}, value }] : value;
    return [...head, ...samples.map((one) => `${name}${wrap(labelText(one.labels))} ${one.value}`)];
  }
  const lines = [...series].flatMap(([labels, one]) => {
    if ('value' in one) return [`${name}${wrap(labels)} ${one.value}`];
    let below = 0;
    const buckets = BUCKETS.map((bound, index) => {
      below += one.buckets[index] ?? 0;
      return `${name}_bucket${wrap(join(labels, `le="${bound}"`))} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket${wrap(join(labels, 'le="+Inf"'))} ${one.count}`,
      `${name}_sum${wrap(labels)} ${one.sum}`,
      `${name}_count${wrap(labels)} ${one.count}`,
    ];
  });
  return [...head, ...lines];
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    const value = String(labels[name]);
    text += `${text === '' ? '' : ','}${name}="${SPECIAL.test(value) ? escaped(value) : value}"`;
  }
  return text;
}
const SPECIAL = /[\\"\n]/;
const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
const wrap = (labels: string): string => (labels === '' ? '' : `{${labels}}`);
const join = (labels: string, more: string): string => (labels === '' ? more : `${labels},${more}`);
