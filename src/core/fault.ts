import { FAILURES, HeadgateError, type FailureCode } from './errors.ts';
import { named } from './own-text.ts';

/** A failure as plain data, for gateways to tell each other. */
interface Fault {
  code: FailureCode;
  message: string;
  remediation?: string | undefined;
  provider?: string | undefined;
  retryAfterMs?: number | undefined;
  data: Record<string, unknown>;
}

export const faultOf = (error: HeadgateError): Fault => {
  const { code, message, remediation, provider, retryAfterMs, data } = error;
  return { code, message, remediation, provider, retryAfterMs, data };
};

/** The failure that another gateway, perhaps of another version, has told. */
export function failureOfFault(fault: object): HeadgateError {
  const { code, message = '', remediation, provider, retryAfterMs, data } = fault as Partial<Fault>;
  return new HeadgateError(
    code !== undefined && code in FAILURES ? code : 'upstream_unavailable',
    named(message),
    {
      ...(remediation === undefined ? {} : { remediation: named(remediation) }),
      ...(provider === undefined ? {} : { provider }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(data === undefined ? {} : { data }),
    },
  );
}
