import { ended } from '../core/text.ts';
import type { z } from 'zod';
import { HeadgateError } from '../core/errors.ts';
import { asked } from '../core/own-text.ts';

/**
 * Parses untrusted input, or throws `invalid_request` that lists every broken rule in words a model can act
 * on.
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> {
  const parsed = schema.safeParse(raw ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new HeadgateError('invalid_request', asked(explainIssues(parsed.error.issues)), {
    data: { fields: [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))] },
  });
}

/** One sentence per broken rule: the field, the rule, what to send instead. */
export function explainIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.slice(0, 5).map(explainIssue).join(' ');
}

function explainIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.');
  const text = explainRule(issue);
  return field === '' ? capitalise(text) : `${field}: ${text}`;
}

function explainRule(issue: z.core.$ZodIssue): string {
  // Messages that end with a period are ours and written for the caller; zod's have none.
  if (issue.message.endsWith('.')) return issue.message;
  switch (issue.code) {
    case 'too_big':
      return tooBig(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}.`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.join(', ')}. Remove it or check the spelling.`;
    case 'invalid_type':
      return issue.input === undefined ? 'is missing.' : `must be ${article(issue.expected)}.`;
    case 'invalid_union':
      return explainUnion(issue);
    default:
      return ended(issue.message);
  }
}

function tooBig(issue: z.core.$ZodIssueTooBig): string {
  if (issue.origin === 'string') return `at most ${issue.maximum} characters. Shorten it.`;
  if (issue.origin === 'array') return `at most ${issue.maximum} entries. Send fewer.`;
  return `at most ${issue.maximum}. Ask for ${issue.maximum} or fewer.`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string') return 'is blank. Fill it in.';
  if (issue.origin === 'array')
    return `at least ${issue.minimum} ${issue.minimum === 1 ? 'entry' : 'entries'}. Add one.`;
  return `at least ${issue.minimum}. Ask for ${issue.minimum} or more.`;
}

/** Explains the branch of a union that came furthest; for plain values, names what is allowed. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const rules = issue.errors.flatMap((branch) => branch.slice(0, 1).map(explainRule));
  return [...new Set(rules)]
    .map((rule) => rule.replace(/\.$/, ''))
    .join(', or ')
    .concat('.');
}

const article = (type: string): string =>
  type === 'int' || type === 'integer'
    ? 'a whole number'
    : /^[aeiou]/.test(type)
      ? `an ${type}`
      : `a ${type}`;

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
