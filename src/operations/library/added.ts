import type { Progress } from '../../core/call.ts';

export type { AddedReport } from '../../library/ingest/added-report.ts';

export interface AddControl {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
  /** Folders from which files may be added; by default any readable one. */
  roots?: string[] | undefined;
}
