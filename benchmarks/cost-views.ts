import { isOurs } from './ours.ts';
import { type Figures, numberIn, rowsIn, shown, textIn, type View } from './view.ts';

// What calls cost: one function per benchmark, from its figures to a table and a plot.

/** What the command line and the import take; figures of older runs have none. */
const commandsIn = (figures: Figures): string =>
  ((figures['commands'] ?? []) as Figures[])
    .slice(1)
    .map(
      (row) =>
        ` \`${textIn(row, 'name')}\` takes ${shown(numberIn(row, 'times_node'))} × bare Node (processor time ${shown(numberIn(row, 'cpu_times_node'))} ×).`,
    )
    .join('');

export function startup(figures: Figures): View {
  const servers = rowsIn(figures, 'servers');
  return {
    title: 'Start-up, the first call and the weight of tools/list',
    note: `Spawn → \`initialize\` → answer to \`tools/list\` over stdio, and → answer to the first search where a server can be pointed at the simulator, median of ${numberIn(figures, 'rounds')} interleaved rounds; bare \`node -e 0\` takes ${shown(numberIn(figures, 'node_ms'))} ms here. Tokens are o200k's. The services behind the servers are never asked. The machine is shared, so wall times scatter (a ratio below 1 is noise); processor time is the column to trust.${commandsIn(figures)}`,
    head: [
      'server',
      'version',
      '× bare Node',
      'ms',
      'CPU ms',
      'MB',
      'first search, × bare Node',
      'its CPU, ×',
      'more than the second after 1 s, ms',
      'idle MB',
      'tools',
      'bytes',
      'tokens',
      'packages',
      'MB on disk',
    ],
    rows: servers.map((row) => [
      textIn(row, 'name'),
      textIn(row, 'version'),
      ...[
        'times_node',
        'wall_ms',
        'cpu_ms',
        'memory_mb',
        'first_times_node',
        'first_cpu_times_node',
        'idle_first_more_ms',
        'idle_mb',
        'tools',
        'list_bytes',
        'list_tokens',
        'packages',
        'megabytes',
      ].map((name) => (row[name] === undefined ? '–' : shown(numberIn(row, name)))),
    ]),
    plot: {
      title: 'From spawn to tools/list',
      caption: 'CPU ms, shorter is better; tokens of the list beside it',
      isLogarithmic: true,
      bars: servers.map((row) => ({
        label: textIn(row, 'name'),
        value: numberIn(row, 'cpu_ms'),
        text: `${shown(numberIn(row, 'cpu_ms'))} ms, ${shown(numberIn(row, 'list_tokens'))} tokens`,
        isOurs: isOurs(textIn(row, 'name')),
      })),
    },
  };
}

export function ledger(figures: Figures): View {
  const rows = rowsIn(figures, 'figures');
  const busiest = rows.filter((row) => numberIn(row, 'callers') === 128 && numberIn(row, 'accounts') === 64);
  const disks = Object.entries(figures['disks'] as Record<string, { p50Ms: number }>);
  const ratios = Object.entries(figures['ratios'] as Record<string, number>).filter(([name]) =>
    name.includes('≥'),
  );
  const byDisk = disks.map(([disk, { p50Ms }]) => {
    const here = ratios.filter(([name]) => name.startsWith(`${disk}: `));
    const said = here.map(([name, ratio]) => `${name.slice(disk.length + 2)} **${shown(ratio)}**`);
    return `- ${disk} (4 kB and fsync take ${shown(p50Ms)} ms): ${said.join('; ')}`;
  });
  return {
    title: 'Ledger: reserve and settle',
    note:
      'Operations per second after COMMIT, beside naive stores on the same disk; ours do more per operation (limits, idempotency, running balance). ' +
      'What grouping is worth depends on what a flush costs, so the run is repeated on simulated disks where every flush takes a fixed time. ' +
      `At 128 callers:\n\n${byDisk.join('\n')}`,
    head: ['disk', 'store', 'accounts', 'callers', 'per second', 'p50 ms', 'p99 ms', 'flushes per operation'],
    rows: rows.map((row) => [
      textIn(row, 'disk'),
      textIn(row, 'contender'),
      ...['accounts', 'callers', 'perSecond', 'p50Ms', 'p99Ms'].map((name) => shown(numberIn(row, name))),
      row['flushesPerOperation'] === null ? '–' : shown(numberIn(row, 'flushesPerOperation')),
    ]),
    plot: {
      title: 'Reserve and settle, 128 callers on 64 accounts',
      caption: 'operations per second, longer is better',
      isLogarithmic: true,
      bars: busiest.map((row) => ({
        label: `${textIn(row, 'contender')}, ${textIn(row, 'disk')}`,
        value: numberIn(row, 'perSecond'),
        text: shown(numberIn(row, 'perSecond')),
        isOurs: isOurs(textIn(row, 'contender')),
      })),
    },
  };
}

export function gateway(figures: Figures): View {
  const rows = rowsIn(figures, 'table').map((row) => ({
    name: textIn(row, 'name'),
    alone: row['one_at_a_time'] as Figures,
    together: row['together'] as Figures,
    added: numberIn(row, 'overhead_p50_ms'),
  }));
  const commits = shown(numberIn(figures, 'two_commits_p50_ms'));
  return view(
    'Gateway',
    `\`POST /search\` with keys and metering (SQLite, fsync) beside a bare \`node:http\` proxy to the same simulated upstream, and beside that proxy with the two commits that a priced call waits for, and nothing else of a gateway. Two commits alone took ${commits} ms at the median.`,
    [
      '',
      'alone, p50 ms',
      'alone, p99 ms',
      'added, p50 ms',
      'together, per second',
      'together, p99 ms',
      'CPU ms per call',
    ],
    rows.map(({ name, alone, together, added }) => [
      name,
      ...[numberIn(alone, 'p50_ms'), numberIn(alone, 'p99_ms'), added].map(shown),
      ...['rps_median', 'p99_ms', 'cpu_ms_per_call'].map((name) => shown(numberIn(together, name))),
    ]),
    {
      title: 'What the gateway adds',
      caption: 'ms at the median, one call at a time, shorter is better',
      bars: rows.map(({ name, alone }) => ({
        label: name,
        value: numberIn(alone, 'p50_ms'),
        text: `${shown(numberIn(alone, 'p50_ms'))} ms`,
        isOurs: isOurs(name),
      })),
    },
  );
}

export function router(figures: Figures): View {
  const [bare, routed] = [numberIn(figures, 'bare_p50_ms'), numberIn(figures, 'routed_p50_ms')];
  return view(
    'What the engine adds to a call',
    `A search through keys, breakers, pacing and normalising against the same request sent bare: ${shown(numberIn(figures, 'added_p50_ms'))} ms at the median.`,
    ['', 'p50 ms', 'p99 ms'],
    [
      ['bare request', shown(bare), shown(numberIn(figures, 'bare_p99_ms'))],
      ['Headgate', shown(routed), shown(numberIn(figures, 'routed_p99_ms'))],
    ],
    {
      title: 'One search',
      caption: 'ms at the median, shorter is better',
      bars: [
        { label: 'bare request', value: bare, text: `${shown(bare)} ms` },
        { label: 'Headgate', value: routed, text: `${shown(routed)} ms`, isOurs: true },
      ],
    },
  );
}

export function bridge(figures: Figures): View {
  const calls = Object.entries(figures['microseconds'] as Record<string, Figures>);
  return view(
    'Bridge',
    'One call of the same tool, one after the other; the client’s own work is part of the MCP rows.',
    ['call', 'median µs', 'p95 µs'],
    calls.map(([name, row]) => [name, shown(numberIn(row, 'median')), shown(numberIn(row, 'p95'))]),
    {
      title: 'What a call through the bridge costs',
      caption: 'µs at the median, shorter is better',
      isLogarithmic: true,
      bars: calls.map(([name, row]) => ({
        label: name,
        value: numberIn(row, 'median'),
        text: `${shown(numberIn(row, 'median'))} µs`,
        isOurs: name !== 'bareFunction',
      })),
    },
  );
}

export function research(figures: Figures): View {
  const [critical, median] = [numberIn(figures, 'criticalMs'), numberIn(figures, 'medianMs')];
  return view(
    'Research',
    `${numberIn(figures, 'sources')} sources over a simulated provider with fixed delays; the critical path is what those delays alone would take.`,
    ['', 'ms'],
    [
      ['critical path', shown(critical)],
      ['Headgate, median', shown(median)],
      ['Headgate, worst', shown(numberIn(figures, 'p95Ms'))],
    ],
    {
      title: 'One research',
      caption: 'ms, shorter is better',
      bars: [
        { label: 'critical path of the delays', value: critical, text: `${shown(critical)} ms` },
        { label: 'Headgate', value: median, text: `${shown(median)} ms`, isOurs: true },
      ],
    },
  );
}

export function scale(figures: Figures): View {
  const pairs = Object.entries(figures).flatMap(([about, pair]) => {
    const { one, two } = (pair ?? {}) as { one?: Figures; two?: Figures };
    return one === undefined || two === undefined ? [] : [{ about, one, two }];
  });
  const rows = pairs.flatMap(({ about, one, two }) => [
    { name: `one: ${about}`, row: one },
    { name: `two: ${about}`, row: two },
  ]);
  return view(
    'Two gateways on one PostgreSQL',
    'Gateways, database, upstream and load share the processors of this machine, so only the case of a slow upstream can show what a second gateway adds.',
    ['', 'per second', 'p50 ms', 'gateway CPU ms per call'],
    rows.map(({ name, row }) => [
      name,
      ...['rps', 'p50_ms', 'cpu_ms_per_call'].map((field) => shown(numberIn(row, field))),
    ]),
    {
      title: 'One gateway and two',
      caption: 'calls per second, longer is better',
      bars: rows.map(({ name, row }) => ({
        label: name.split(/[,;]/)[0] ?? name,
        value: numberIn(row, 'rps'),
        text: shown(numberIn(row, 'rps')),
        isOurs: name.startsWith('two'),
      })),
    },
  );
}

/** In the order in which it is written down below. */
const view = (title: string, note: string, head: string[], rows: string[][], plot: View['plot']): View => ({
  title,
  note,
  head,
  rows,
  plot,
});
