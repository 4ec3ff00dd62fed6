// A chart of counts over time. uPlot is loaded when the first chart is drawn.
import { html, useEffect, useRef } from './dom.js';
import { tick } from './i18n.js';

const HEIGHT = 200;
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** `times` are in seconds; every series has a name, a colour variable and its values. */
export function Chart({ times, series, label }) {
  const place = useRef(null);
  useEffect(() => {
    const element = /** @type {any} */ (place.current);
    let plot;
    let isGone = false;
    const draw = async () => {
      const { default: UPlot } = await import('./vendor/uplot.js');
      if (isGone) return;
      plot?.destroy();
      plot = new UPlot(
        optionsOf(UPlot, { times, series, width: element.clientWidth }),
        [times, ...series.map((one) => one.values.map((value) => value || null))],
        element,
      );
    };
    void draw();
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    // Colours are read when drawing, so another theme is another drawing.
    const themes = new MutationObserver(() => void draw());
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      isGone = true;
      resize.disconnect();
      themes.disconnect();
      plot?.destroy();
    };
  }, [times, series]);
  return html`<div class="chart" ref=${place} role="img" aria-label=${label}></div>`;
}

/** @returns {any} */
function optionsOf(UPlot, { times, series, width }) {
  // A bar stands on the middle of its place, so the first and the last need half a place more.
  const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2;
  const axis = {
    stroke: styleOf('--ink-soft'),
    grid: { stroke: styleOf('--line'), width: 1 },
    ticks: { stroke: styleOf('--line'), width: 1 },
    font: '12px system-ui',
  };
  const bars = UPlot.paths.bars({ size: [0.72, 26], radius: 0.15 });
  return {
    width,
    height: HEIGHT,
    cursor: { show: false },
    legend: { live: false },
    scales: {
      x: { range: (_plot, low, high) => [low - half, high + half] },
      y: { range: (_plot, _low, high) => [0, Math.max(4, high * 1.1)] },
    },
    axes: [
      { ...axis, size: 30, space: 56, values: (_plot, places) => places.map((place) => tick(place * 1_000)) },
      {
        ...axis,
        size: 46,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000],
      },
    ],
    series: [
      {},
      ...series.map(({ name, colour }) => ({
        label: name,
        stroke: styleOf(colour),
        fill: styleOf(colour),
        paths: bars,
        points: { show: false },
      })),
    ],
  };
}
