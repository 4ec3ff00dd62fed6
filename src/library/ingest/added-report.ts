import { LIMITS } from '../../core/limits.ts';
import { type Problem, problemOf } from './walk.ts';
import type { AddReport } from '../writer.ts';

/** The result of adding files or pages. A failing one is reported, and the rest is added. */
export interface AddedReport extends AddReport {
  /** One entry per path that was not added; only the first ones when there are very many. */
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
