import type { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import { own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import { failureOf, isChallenge } from './failure.ts';

/**
 * Parses the JSON of a response and checks the fields we use. Errors are specific, because an empty body, a
 * proxy's login page and a broken connection need different remedies.
 */
export function readJson<Shape>(response: HttpResponse, provider: Named, shape: z.ZodType<Shape>): Shape {
  const parsed = shape.safeParse(readAnyJson(response, provider));
  if (!parsed.success) throw unknownForm(response, provider, parsed.error);
  return parsed.data;
}

/** Parses the JSON of a response whatever its form. */
export function readAnyJson(response: HttpResponse, provider: Named): unknown {
  const bad = (what: Complaint, cause?: unknown) => badAnswer(response, provider, what, cause);
  if (isChallenge(response)) throw failureOf(provider, response);
  const body = response.body.replace(/^\uFEFF/, '').trim();
  if (body === '') throw bad('sent an empty answer');
  if (body.startsWith('<')) throw bad('sent a web page instead of JSON');
  try {
    return JSON.parse(body);
  } catch (thrown) {
    throw bad('sent JSON that is cut off or broken', thrown);
  }
}

/** The failure for JSON that is not what the provider documents. */
export const unknownForm = (response: HttpResponse, provider: Named, cause?: unknown): HeadgateError =>
  badAnswer(response, provider, 'sent JSON in an unknown form', cause);

const badAnswer = ({ status }: HttpResponse, { id, title }: Named, what: Complaint, cause: unknown) =>
  new HeadgateError('upstream_bad_answer', own`${title} ${what}.`, {
    provider: id,
    remediation: 'Try again; if it persists, check base_url and any proxy in between.',
    data: { status },
    cause,
  });

interface Named {
  id: string;
  title: OwnText;
}

type Complaint =
  | 'sent an empty answer'
  | 'sent a web page instead of JSON'
  | 'sent JSON that is cut off or broken'
  | 'sent JSON in an unknown form';

/** Parses the JSON of an error response if there is any; error bodies are often web pages or empty. */
export function readJsonIfAny(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
