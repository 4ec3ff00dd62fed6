import { type Figures, numberIn, shown, type View } from '../view.ts';

/** What recording costs a request, and what a large snapshot costs. */
export function recording(figures: Figures): View {
  const of = (name: string): string => shown(numberIn(figures, name));
  return {
    title: 'Recording',
    note: `A page of 20 KB over loopback, live and recorded in turns in one process; then a file of ${of('records')} exchanges (${of('file_mb')} MB).`,
    head: ['', 'value'],
    rows: [
      ['a request, live, p50 ms', of('live_ms')],
      ['a request, recorded, p50 ms', of('recorded_ms')],
      ['processor time of a recorded call of extract ÷ live', of('call_cpu_ratio')],
      ['processor time of a bare recorded request ÷ live', of('cpu_ratio')],
      ['opening the file, ms', of('open_ms')],
      ['looking up a request and reading its answer, p50 ms', of('lookup_p50_ms')],
      ['the same, p99 ms', of('lookup_p99_ms')],
      ['more memory with the file open, MB', of('memory_mb')],
    ],
    plot: {
      title: 'A request, live and recorded',
      caption: 'milliseconds, the median, shorter is better',
      bars: [
        { label: 'live', value: numberIn(figures, 'live_ms'), text: of('live_ms'), isOurs: false },
        { label: 'recorded', value: numberIn(figures, 'recorded_ms'), text: of('recorded_ms'), isOurs: true },
      ],
    },
  };
}
