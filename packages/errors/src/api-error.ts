import type { ErrorCode } from './catalogue.ts';

/** A problem of one request field; `field` is its path as the REST caller sent it. */
export interface FieldIssue {
  readonly field: string;
  readonly issue: string;
}

/** The members that an error may have in addition to code and message. */
export interface ApiErrorOptions {
  /** Field-level issues; VALIDATION_ERROR and INVALID_ENUM_VALUE name at least one. */
  readonly details?: readonly FieldIssue[];
  /** Valid values from which the caller can choose; empty: the error names choices, but there are none. */
  readonly candidates?: readonly string[];
  /** Whole seconds after which to retry the call; RATE_LIMIT_EXCEEDED has it. */
  readonly retryAfterSeconds?: number;
  /** Id of the approval that the call waits for; APPROVAL_REQUIRED has it. */
  readonly approvalId?: string;
  /** For the log only; never leaves the process. */
  readonly cause?: unknown;
}

/**
 * An error that the caller may see. Any other error becomes INTERNAL with a fixed text.
 * `message` is for people, may be reworded, and holds no secret.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly FieldIssue[];
  /** Undefined: the error names no choices. */
  readonly candidates: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly approvalId: string | undefined;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
    this.candidates = options.candidates;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.approvalId = options.approvalId;
  }
}

/** VALIDATION_ERROR naming each field. `issues` holds at least one. */
export function validationError(...issues: readonly FieldIssue[]): ApiError {
  const text = issues.map(({ field, issue }) => `${field}: ${issue}`).join('; ');
  return new ApiError('VALIDATION_ERROR', `The request is not valid. ${text}`, { details: issues });
}

/**
 * NOT_FOUND for a record that does not exist or belongs to another account. The text is the same for both, so that a caller cannot
 * distinguish them. `id`: the record's id, if the body has several; as the caller sent it.
 */
export function notFound(noun: string, id?: string | number): ApiError {
  const named = id === undefined ? noun : `${noun} ${id}`;
  return new ApiError('NOT_FOUND', `The ${named} does not exist.`);
}

/** Maximum length of a slug in a message; a longer one is cut. */
const MAX_NAMED = 300;

/**
 * NOT_FOUND for an unknown slug, with the nearest slugs that the caller sees. `whereabouts`: a sentence about where to find the slug, or
 * about what it is.
 */
export function unknownSlug(
  noun: string,
  slug: string,
  candidates: readonly string[],
  whereabouts?: string,
): ApiError {
  const name = slug.length > MAX_NAMED ? `${slug.slice(0, MAX_NAMED)}…` : slug;
  const advice = candidates.length === 0 ? undefined : `Did you mean ${candidates.join(' or ')}?`;
  const sentences = [`There is no ${noun} ${name}.`, whereabouts, advice];
  return new ApiError('NOT_FOUND', sentences.filter((it) => it !== undefined).join(' '), { candidates });
}

/**
 * RATE_LIMIT_EXCEEDED for a call that was refused before anything was executed, because too many others run. The caller may retry after 1
 * s.
 */
export function overloaded(message: string): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: 1 });
}
