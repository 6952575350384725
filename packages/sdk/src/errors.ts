import type { ErrorDetail, KnownErrorCode } from './gen/types.ts';

/** A machine-readable code. Newer servers may return others: treat those according to their status. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** The content of an error response. */
export interface Failure {
  readonly status: number;
  readonly errorCode: ErrorCode | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly candidates: readonly string[];
  readonly retryAfterSeconds: number | undefined;
  readonly approvalId: string | undefined;
}

/** The API refused the request or failed: a response arrived, and its status is not 2xx. */
export class FairleadError extends Error {
  override readonly name = 'FairleadError';
  /** The HTTP status. */
  readonly status: number;
  /** Branch on this. Undefined if the response is not from the API: a proxy's, or an empty one. */
  readonly errorCode: ErrorCode | undefined;
  /** Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** The issues of a failed validation: one entry per field. */
  readonly details: readonly ErrorDetail[];
  /** The possible choices, if the error is a conflict that names them; otherwise empty. */
  readonly candidates: readonly string[];
  /** How long the API asks to wait before the next attempt. */
  readonly retryAfterSeconds: number | undefined;
  /** With APPROVAL_REQUIRED: the approval that the call waits for. */
  readonly approvalId: string | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.status = failure.status;
    this.errorCode = failure.errorCode;
    this.requestId = failure.requestId;
    this.details = failure.details;
    this.candidates = failure.candidates;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.approvalId = failure.approvalId;
  }
}

/** No response arrived: the name did not resolve, the connection was refused or broke, or the peer is not the API. */
export class FairleadConnectionError extends Error {
  override readonly name = 'FairleadConnectionError';
}

/** No response arrived within `timeoutMs`. It is unknown whether the request took effect. */
export class FairleadTimeoutError extends Error {
  override readonly name = 'FairleadTimeoutError';
}

/** The errors of an attempt without a response. */
export type TryError = FairleadError | FairleadConnectionError | FairleadTimeoutError;

/** The error of a response whose status is not 2xx; `body` is its text. */
export function failureOf(response: Response, body: string, now: number): FairleadError {
  const envelope = parseObject(body);
  const { errorCode, message, requestId, details, candidates, approvalId } = envelope;
  return new FairleadError({
    status: response.status,
    errorCode: typeof errorCode === 'string' ? errorCode : undefined,
    message: typeof message === 'string' ? message : messageOf(response),
    requestId:
      typeof requestId === 'string' ? requestId : (response.headers.get('x-request-id') ?? undefined),
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    candidates: Array.isArray(candidates) ? candidates.filter((entry) => typeof entry === 'string') : [],
    retryAfterSeconds: retryAfterSeconds(response.headers.get('retry-after'), now),
    approvalId: typeof approvalId === 'string' ? approvalId : undefined,
  });
}

function messageOf({ status, statusText, headers }: Response): string {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return `The address answered with a redirect to ${location}: use that as baseUrl. Redirects are not followed, so that no credential goes elsewhere.`;
  }
  return `The API answered ${`${status} ${statusText}`.trim()}.`;
}

/** The seconds of a Retry-After header, which is a number or a date (RFC 9110, 10.2.3). */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    // Reading any member of an object is safe.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isDetail(value: unknown): value is ErrorDetail {
  return (
    typeof value === 'object' &&
    value !== null &&
    'field' in value &&
    typeof value.field === 'string' &&
    'issue' in value &&
    typeof value.issue === 'string'
  );
}
