// The one place that knows the libraries for the page.
import { Fragment, h, render } from './vendor/preact.js';
import htm from './vendor/htm.js';

export { Fragment, render };
export { useCallback, useEffect, useMemo, useRef, useState } from './vendor/hooks.js';

/** Markup as a template. Values become text, never markup. */
export const html = htm.bind(h);
