import { bridge, gateway, ledger, research, router, scale, startup } from './cost-views.ts';
import { answers, contradictions, extraction, library, passages, ranking, topics } from './quality-views.ts';
import { calls } from './calls/view.ts';
import { crawl } from './crawl/view.ts';
import { pdf } from './pdf/view.ts';
import { policy } from './policy/view.ts';
import { snapshot } from './snapshot/view.ts';
import { shared } from './shared/view.ts';
import { signIn } from './sign-in/view.ts';
import { recording } from './recording/view.ts';
import type { Figures, View } from './view.ts';

/** How each benchmark is shown, in the order of RESULTS.md. */
export const VIEWS: Record<string, (figures: Figures) => View> = {
  startup,
  extraction,
  ranking,
  passages,
  answers,
  pdf,
  library,
  snapshot,
  ledger,
  calls,
  'sign-in': signIn,
  gateway,
  scale,
  shared,
  crawl,
  router,
  topics,
  policy,
  recording,
  bridge,
  research,
  contradictions,
};
