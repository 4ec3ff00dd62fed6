// A small writer of bar charts as SVG. Colours follow the reader's light or dark setting; every bar has its number beside it,
// so the picture can be read without its axis.

export interface Bar {
  label: string;
  value: number;
  /** What stands beside the bar; the value when absent. */
  text?: string;
  isOurs?: boolean;
}

export interface Plot {
  title: string;
  /** What the length of a bar means, with its unit and which way is better. */
  caption: string;
  bars: Bar[];
  /** For values that differ by powers of ten. */
  isLogarithmic?: boolean;
}

const [BARS, LABEL_LEAST, NUMBER, ROW, TOP] = [316, 250, 194, 26, 58];
/** The mean width of a letter of the labels; who has narrower ones gets some air. */
const LETTER = 7;

export function drawPlot({ title, caption, bars, isLogarithmic = false }: Plot): string {
  const height = TOP + bars.length * ROW + 14;
  const label = Math.max(LABEL_LEAST, 16 + LETTER * Math.max(...bars.map((bar) => bar.label.length)));
  const width = label + BARS + NUMBER;
  const values = bars.map((bar) => bar.value);
  const most = Math.max(...values);
  const least = Math.min(...values.filter((value) => value > 0));
  // On a logarithmic scale the shortest bar still shows.
  const length = (value: number): number => {
    if (value <= 0) return 1;
    const share = isLogarithmic
      ? 0.06 + 0.94 * (Math.log(value / least) / Math.max(Math.log(most / least), 1e-9))
      : value / most;
    return Math.max(1, Math.round(share * BARS));
  };
  const rows = bars.map((bar, at) => {
    const y = TOP + at * ROW;
    const long = length(bar.value);
    return `  <text class="label" x="${label}" y="${y + 15}">${escape(bar.label)}</text>
  <rect class="${bar.isOurs === true ? 'ours' : 'other'}" x="${label + 10}" y="${y + 2}" width="${long}" height="18" rx="2"/>
  <text class="number" x="${label + 16 + long}" y="${y + 15}">${escape(bar.text ?? String(bar.value))}</text>`;
  });
  const scale = isLogarithmic ? `${caption}; logarithmic` : caption;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .caption { fill: #59636e; font-size: 12px }
    .label { text-anchor: end }
    .ours { fill: #0b7285 }
    .other { fill: #adb5bd }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .caption { fill: #9198a1 }
      .ours { fill: #3bc9db }
      .other { fill: #596570 }
    }
  </style>
  <text class="title" x="16" y="24">${escape(title)}</text>
  <text class="caption" x="16" y="43">${escape(scale)}</text>
${rows.join('\n')}
</svg>
`;
}

const escape = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign,
  );
