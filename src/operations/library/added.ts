import type { Progress } from '../../core/call.ts';

export interface AddControl {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
  /** Folders from which files may be added; without it any that the process can read. */
  roots?: string[] | undefined;
}

/** What became of it: what is wrong with one file or page is reported, and the rest goes on. */
export interface AddedReport {
  added: number;
  replaced: number;
  unchanged: number;
  problems: { path: string; code: string; message: string }[];
  problemsTotal: number;
  cancelled: boolean;
}
