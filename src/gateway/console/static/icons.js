// The pictures beside the sections: lines on a field of 24 by 24.
import { html } from './dom.js';

const LINES = {
  overview: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  calls: 'M4 6h16M4 12h16M4 18h10',
  workspaces: 'M3 7h7v6H3zM14 4h7v6h-7zM14 14h7v6h-7zM10 10h4M17.5 10v4',
  keys: 'M8 15a4 4 0 1 1 3.5-6H21v4h-2v3h-4v-3h-3.5A4 4 0 0 1 8 15z',
  credits:
    'M12 3v18M16.5 7.5C15.500 6 14 5.500 12 5.500c-2.500 0-4.500 1-4.500 3.200 0 4.600 9.200 2.200 9.200 6.800 0 2.200-2.200 3.200-4.700 3.200-2.200 0-4-.7-5-2.400',
  policy: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z',
  playground: 'M6 4l14 8-14 8z',
  research: 'M10.500 17a6.500 6.500 0 1 1 0-13 6.500 6.500 0 0 1 0 13zM15.500 15.500L21 21',
  library: 'M5 4v16M9 4v16M13 4l6 15.500',
  snapshots: 'M4 8h4l2-3h4l2 3h4v11H4zM12 16a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
};

export const Icon = ({ of }) =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${LINES[of] ?? 'M5 12h14'} /></svg>`;
