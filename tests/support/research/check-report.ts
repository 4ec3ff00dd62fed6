import { expect } from 'vitest';
import type { ResearchReport } from '../../../src/contract/research.ts';
import { createCall, perform } from '../../../src/operations/perform.ts';
import { verifyQuote } from '../../../src/research/verify-quote.ts';
import { sha256 } from '../../../src/research/state.ts';
import type { SourceText } from '../../../src/evidence/quote.ts';
import type { Services } from '../../../src/operations/services.ts';

const SECTIONS = [
  '## Executive Summary',
  '## Key Findings',
  '## Analysis',
  '### Supporting Evidence',
  '### Conflicting Information',
  '### Limitations',
  '## Sources',
  '## Conclusions',
];

/** Every citation leads to a source, every finding stands word for word in its source, and the sections are the ones promised. */
export async function checkReport(report: ResearchReport, services: Services): Promise<void> {
  checkCitations(report, await services.research.sources(report.research_id, createCall(services)));
  for (const finding of report.findings) {
    const input = { quote: finding.quote, research_id: report.research_id, source_id: finding.source_id };
    const verdict = await perform(verifyQuote, input, { call: createCall(services), services });
    expect(verdict).toMatchObject({ verified: true, match: 'exact', hash: finding.hash });
  }
}

/** The same without asking `verify_quote`, for many reports. */
export function checkCitations(report: ResearchReport, texts: SourceText[]): void {
  const headings = report.markdown.split('\n').filter((line) => SECTIONS.includes(line));
  expect(headings).toEqual(SECTIONS);

  const numbers = report.sources.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const cited = [...report.markdown.matchAll(/(?<!\\)\[(\d+)(?<!\\)\]/g)].map((found) => Number(found[1]));
  expect(cited.filter((number) => !numbers.includes(number))).toEqual([]);

  const findings = new Map(report.findings.map((finding) => [finding.id, finding]));
  const statements = [
    ...report.executive_summary,
    ...report.key_findings.flatMap((theme) => theme.statements),
    ...report.supporting_evidence,
    ...report.conflicting_information,
    ...report.conclusions,
  ];
  for (const statement of statements) {
    expect(statement.citations.length).toBeGreaterThan(0);
    const backing = statement.finding_ids.map((id) => findings.get(id)?.citation);
    expect(new Set(backing)).toEqual(new Set(statement.citations));
  }

  for (const finding of report.findings) {
    const source = texts.find(({ id }) => id === finding.source_id);
    expect(source?.text.slice(finding.start, finding.end)).toBe(finding.quote);
    expect(sha256(source?.text ?? '')).toBe(finding.hash);
    expect(report.sources.find(({ number }) => number === finding.citation)).toMatchObject({
      id: finding.source_id,
      url: finding.url,
      hash: finding.hash,
    });
  }
}
