export interface Figures {
  engine: string;
  documents: number;
  documentsPerCpuSecond: number;
  megabytesOnDisk: number;
  queries: number;
  /** Of the processor, because the machine may be shared. */
  cpuMsP50: number;
  cpuMsP99: number;
  /** On the wall. */
  msP50: number;
  msP99: number;
  megabytesResident: number;
}

const WIDTH = 640;
const HEIGHT = 400;
const EDGE = { left: 60, right: 120, top: 40, bottom: 46 };
const COLOURS: Record<string, string> = { headgate: '#0b7285', fts5: '#c2410c', minisearch: '#7c3aed' };

/** Time per query against the number of documents, both logarithmic: the median as a line, the 99th percentile dashed. */
export function drawGrowth(figures: Figures[]): string {
  const sizes = figures.map(({ documents }) => documents);
  const times = figures.flatMap(({ cpuMsP50, cpuMsP99 }) => [cpuMsP50, cpuMsP99]);
  const x = scale(Math.min(...sizes), Math.max(...sizes), EDGE.left, WIDTH - EDGE.right);
  const y = scale(
    10 ** Math.floor(Math.log10(Math.min(...times))),
    10 ** Math.ceil(Math.log10(Math.max(...times))),
    HEIGHT - EDGE.bottom,
    EDGE.top,
  );
  const engines = [...new Set(figures.map(({ engine }) => engine))];
  const lines = engines.flatMap((engine) => {
    const own = figures.filter((one) => one.engine === engine).sort((a, b) => a.documents - b.documents);
    const colour = COLOURS[engine] ?? '#444';
    const last = own.at(-1);
    const path = (of: 'cpuMsP50' | 'cpuMsP99') =>
      own.map((one) => `${round(x(one.documents))},${round(y(one[of]))}`).join(' ');
    return [
      `<polyline points="${path('cpuMsP50')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
      `<polyline points="${path('cpuMsP99')}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-dasharray="5 4"/>`,
      ...own.map(
        (one) =>
          `<circle cx="${round(x(one.documents))}" cy="${round(y(one.cpuMsP50))}" r="3.5" fill="${colour}"><title>${engine}, ${one.documents} documents: ${one.cpuMsP50} ms</title></circle>`,
      ),
      ...own.map((one) =>
        label(x(one.documents), y(one.cpuMsP50) - 8, `${one.cpuMsP50}`, { anchor: 'middle', colour }),
      ),
      last === undefined ? '' : label(x(last.documents) + 12, y(last.cpuMsP50) + 4, engine, { colour }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Milliseconds per query by number of documents">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    label(EDGE.left, 20, 'CPU milliseconds per query: median (line) and 99th percentile (dashed)', {
      size: 13,
    }),
    ...ticks(times).map(
      (ms) =>
        `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${round(y(ms))}" y2="${round(y(ms))}" stroke="#e5e7eb"/>${label(EDGE.left - 8, y(ms) + 4, `${ms} ms`, { anchor: 'end' })}`,
    ),
    ...[...new Set(sizes)].map((count) =>
      label(x(count), HEIGHT - EDGE.bottom + 20, count.toLocaleString('en'), { anchor: 'middle' }),
    ),
    label((EDGE.left + WIDTH - EDGE.right) / 2, HEIGHT - 8, 'documents', { anchor: 'middle' }),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

const scale =
  (from: number, to: number, start: number, end: number) =>
  (value: number): number =>
    start + ((Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from) || 1)) * (end - start);

function ticks(times: number[]): number[] {
  const [low, high] = [Math.floor(Math.log10(Math.min(...times))), Math.ceil(Math.log10(Math.max(...times)))];
  return Array.from({ length: high - low + 1 }, (_, at) => Number((10 ** (low + at)).toPrecision(1)));
}

const label = (
  x: number,
  y: number,
  text: string,
  { anchor = 'start', colour = '#374151', size = 12 } = {},
): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="${colour}" font-size="${size}">${text}</text>`;

const round = (value: number): number => Math.round(value * 10) / 10;
