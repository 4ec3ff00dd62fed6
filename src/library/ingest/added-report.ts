import { LIMITS } from '../../core/limits.ts';
import { type Problem, problemOf } from './walk.ts';
import type { AddReport } from '../writer.ts';

/** What became of an addition: what is wrong with one file or page is reported, and the rest goes on. */
export interface AddedReport extends AddReport {
  /** One entry for each path that was not added, the first ones only when there are very many. */
  problems: Problem[];
  problemsTotal: number;
  cancelled: boolean;
}

export const emptyReport = (): AddedReport => ({
  added: 0,
  replaced: 0,
  unchanged: 0,
  problems: [],
  problemsTotal: 0,
  cancelled: false,
});

export function countAdded(report: AddedReport, { added, replaced, unchanged }: AddReport): void {
  report.added += added;
  report.replaced += replaced;
  report.unchanged += unchanged;
}

export function addProblem(report: AddedReport, path: string, thrown: unknown): void {
  report.problemsTotal += 1;
  if (report.problems.length < LIMITS.libraryProblemsMax) report.problems.push(problemOf(path, thrown));
}
