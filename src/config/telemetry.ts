import { z } from 'zod';
import { requiredUrl } from '../providers/kit/base-url.ts';
import { booleanLeaf, ratio, secrets, textLeaf } from './leaf.ts';

/** The `[telemetry]` section: OpenTelemetry traces. Nothing is loaded or sent without an endpoint. */
export const telemetry = z
  .strictObject({
    otlp_endpoint: requiredUrl()
      .optional()
      .describe('An OTLP/HTTP collector, such as http://127.0.0.1:4318; `/v1/traces` is appended.'),
    otlp_headers: secrets()
      .default([])
      .describe('Headers for the collector: `name=value`, separated by commas.'),
    service_name: textLeaf().default('headgate').describe('The service name in traces.'),
    sample_ratio: ratio().default(1).describe('The share of calls that are traced, 0 to 1.'),
    queries: booleanLeaf()
      .default(false)
      .describe('Put what was asked (queries, addresses) into traces; without it only hosts are there.'),
    propagate: booleanLeaf()
      .default(false)
      .describe('Send `traceparent` to providers and models, so that they continue the trace.'),
  })
  .prefault({} as never);
