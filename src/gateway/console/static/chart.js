// Charts as SVG: bars that are stacked by name, and small lines beside a number.
import { html, useEffect, useRef, useState } from './dom.js';
import { number, span, t, tick } from './i18n.js';

const HEIGHT = 210;
const PAD = { left: 42, right: 6, top: 10, bottom: 24 };

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** A round number of calls that is not below this one. */
function niceMax(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return Math.max(4, [1, 2, 4, 5, 10].map((factor) => factor * unit).find((nice) => nice >= value) ?? value);
}

function useWidth() {
  const place = useRef(/** @type {any} */ (null));
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const resize = new ResizeObserver(() => setWidth(place.current?.clientWidth || 600));
    resize.observe(place.current);
    return () => resize.disconnect();
  }, [place.current]);
  return { place, width };
}

/**
 * Calls over time. The arrow keys move over the bars, Enter and a click pick one.
 * @param {{ from: number, to: number, stepMs: number, series: { name: string, kind: string, values: number[] }[], label: string, onPick: (at: number) => void }} given
 */
export function Stack({ from, to, stepMs, series, label, onPick }) {
  const { place, width } = useWidth();
  const [at, setAt] = useState(/** @type {number | undefined} */ (undefined));
  const count = series[0]?.values.length ?? 0;
  if (count === 0) return html`<div ref=${place}><p class="empty">${t('overview.noCalls')}</p></div>`;
  const totals = Array.from({ length: count }, (_, step) => sum(series.map((one) => one.values[step])));
  const stepWidth = (width - PAD.left - PAD.right) / count;
  const textOf = (step) => {
    const start = from + step * stepMs;
    return {
      when: span(start, Math.min(start + stepMs, to)),
      total: t('overview.callsCount', { count: number(totals[step]) }),
      parts: series
        .filter((one) => one.values[step] > 0)
        .map((one) => ({ ...one, value: number(one.values[step]) })),
    };
  };
  const shown = at === undefined || at >= count ? undefined : textOf(at);
  const said = shown ?? textOf(count - 1);
  const move = (event) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const step = Math.floor((event.clientX - left - PAD.left) / stepWidth);
    setAt(step >= 0 && step < count ? step : undefined);
  };
  const press = (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -count, End: count };
    if (event.key === 'Enter' && at !== undefined) onPick(at);
    if (event.key === 'Escape') setAt(undefined);
    if (!(event.key in steps)) return;
    event.preventDefault();
    setAt(Math.min(count - 1, Math.max(0, (at ?? count) + steps[event.key])));
  };
  return html`
    <div
      class="stackchart"
      ref=${place}
      tabindex="0"
      role="slider"
      aria-label=${label}
      aria-valuemin="0"
      aria-valuemax=${count - 1}
      aria-valuenow=${at ?? count - 1}
      aria-valuetext=${[said.when, said.total, ...said.parts.map((one) => `${one.name} ${one.value}`)].join(', ')}
      onPointerMove=${move}
      onPointerLeave=${() => setAt(undefined)}
      onBlur=${() => setAt(undefined)}
      onKeyDown=${press}
      onClick=${() => at !== undefined && onPick(at)}
    >
      <${Drawing} ...${{ at, from, stepMs, series, totals, stepWidth, width }} />
      ${shown && html`<${Tip} shown=${shown} x=${PAD.left + (Number(at) + 0.5) * stepWidth} width=${width} />`}
    </div>
  `;
}

const Tip = ({ shown, x, width }) => html`
  <div class=${`tip ${x > width / 2 ? 'before' : ''}`} style=${{ left: `${x}px` }}>
    <strong>${shown.when}</strong>
    <div>${shown.total}</div>
    ${shown.parts.map((one) => html`<div class="row tight"><i class=${`dot ${one.kind}`}></i>${one.name}<span class="right grow">${one.value}</span></div>`)}
  </div>
`;

function Drawing({ at, from, stepMs, series, totals, stepWidth, width }) {
  const top = niceMax(Math.max(...totals));
  const y = (value) => HEIGHT - PAD.bottom - ((HEIGHT - PAD.top - PAD.bottom) * value) / top;
  const every = Math.ceil(76 / stepWidth);
  const gap = stepWidth > 5 ? 0.18 : 0.06;
  const bars = (step) => {
    let below = 0;
    return series.map(({ kind, values }) => {
      const start = below;
      below += values[step];
      if (values[step] === 0) return undefined;
      return html`<rect
        class=${kind}
        x=${PAD.left + (step + gap / 2) * stepWidth}
        width=${stepWidth * (1 - gap)}
        y=${y(below)}
        height=${Math.max(1, y(start) - y(below))}
      />`;
    });
  };
  const isLabelled = (step) => step % every === 0 && (step === 0 || step + every / 2 < totals.length);
  return html`
    <svg width=${width} height=${HEIGHT} aria-hidden="true">
      ${[0, top / 2, top].map(
        (value) => html`
          <line class="gridline" x1=${PAD.left} x2=${width - PAD.right} y1=${y(value)} y2=${y(value)} />
          <text class="axis" x=${PAD.left - 6} y=${y(value) + 4} text-anchor="end">${number(value)}</text>
        `,
      )}
      ${at !== undefined && html`<rect class="cursor" x=${PAD.left + at * stepWidth} y=${PAD.top} width=${stepWidth} height=${HEIGHT - PAD.top - PAD.bottom} />`}
      ${totals.map((_, step) => bars(step))}
      ${totals.map(
        (_, step) =>
          isLabelled(step) &&
          html`<text class="axis" x=${PAD.left + step * stepWidth} y=${HEIGHT - 6}>
            ${tick(from + step * stepMs, stepMs)}
          </text>`,
      )}
    </svg>
  `;
}

/** The course of a number, without axes. */
export function Spark({ values }) {
  const top = Math.max(...values, 0);
  if (values.length < 2 || top === 0) return html`<svg class="spark" aria-hidden="true"></svg>`;
  const points = values.map(
    (value, at) =>
      `${((100 * at) / (values.length - 1)).toFixed(1)},${(22 - (20 * (value ?? 0)) / top).toFixed(1)}`,
  );
  return html`
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polygon points=${`0,23 ${points.join(' ')} 100,23`} />
      <polyline points=${points.join(' ')} />
    </svg>
  `;
}
