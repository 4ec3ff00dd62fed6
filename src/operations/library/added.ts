import type { Progress } from '../../core/call.ts';

export type { AddedReport } from '../../library/ingest/added-report.ts';

export interface AddControl {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
  /** Folders from which files may be added; without it any that the process can read. */
  roots?: string[] | undefined;
}
