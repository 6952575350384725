import { errors } from 'undici';

const CODES_OF_ERRORS = [
  'address_blocked',
  'timeout',
  'dns_not_found',
  'connection_refused',
  'connection_reset',
  'tls',
  'response_too_large',
  'headers_too_large',
  'invalid_response',
  'redirect',
  'invalid_url',
  'aborted',
  'sockets_exhausted',
  'not_begun',
  'connection_failed',
] as const;

/** Why an outbound call failed before it had a response. */
export type EgressErrorCode = (typeof CODES_OF_ERRORS)[number];

/** The code that a text names; `connection_failed` if the text names none. */
export function egressErrorCode(text: string): EgressErrorCode {
  return CODES_OF_ERRORS.find((code) => code === text) ?? 'connection_failed';
}

/** An outbound call failed. The message is for people and names the host as requested, never an address behind it. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly code: EgressErrorCode;
  /**
   * The request was sent on a kept-alive connection that was lost before a byte of the response arrived: most likely, the server had closed
   * it already. Sending the request again on a new connection is as safe as with any other client.
   */
  readonly isKeptAliveLost: boolean;

  constructor(code: EgressErrorCode, message: string, cause?: unknown, isKeptAliveLost = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.isKeptAliveLost = isKeptAliveLost;
  }
}

/** A kept-alive socket failed before a byte of the response arrived; `cause` says how. */
export class LostSocketError extends Error {
  override readonly name = 'LostSocketError';

  constructor(cause: Error) {
    super('The kept-alive socket was lost.', { cause });
  }
}

/** The facts about a failed call. */
export interface FailedCall {
  readonly host: string;
  /** The call's own deadline has passed. */
  readonly isTimedOut: boolean;
  /** The caller aborted the call. */
  readonly isAborted: boolean;
}

/** The EgressError for any error of a socket, TLS or the HTTP client. */
export function toEgressError(error: unknown, call: FailedCall): EgressError {
  const known = [...causes(error)].find((link) => link instanceof EgressError);
  // A cancelled look-up does not reveal which deadline passed.
  if (known !== undefined && known.code !== 'aborted') return known;
  if (call.isTimedOut) return new EgressError('timeout', `${call.host} did not answer in time.`, error);
  if (call.isAborted) return new EgressError('aborted', `The call to ${call.host} was cancelled.`, error);
  if (known !== undefined) return known;
  const code = classify(error);
  const isKeptAliveLost =
    code === 'connection_reset' && [...causes(error)].some((link) => link instanceof LostSocketError);
  return new EgressError(code, `${call.host} ${SENTENCES[code]}`, error, isKeptAliveLost);
}

type SocketFailure = Extract<
  EgressErrorCode,
  | 'timeout'
  | 'dns_not_found'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls'
  | 'invalid_url'
  | 'headers_too_large'
  | 'invalid_response'
  | 'connection_failed'
>;

const SENTENCES: Readonly<Record<SocketFailure, string>> = {
  timeout: 'did not answer in time.',
  dns_not_found: 'does not exist.',
  connection_refused: 'refused the connection.',
  connection_reset: 'closed the connection before its response was complete.',
  tls: 'has no valid certificate, or does not speak TLS.',
  invalid_url: 'cannot be sent this request: a header, the method or the path is not valid.',
  headers_too_large: 'sent more than 16 KiB of headers.',
  invalid_response: 'sent a response that is not valid HTTP.',
  connection_failed: 'could not be reached.',
};

const CODES: Readonly<Record<string, SocketFailure>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_INVALID_ARG: 'invalid_url',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  ENOTFOUND: 'dns_not_found',
  EPROTO: 'tls',
};

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

function classify(error: unknown): SocketFailure {
  for (const link of causes(error)) {
    if (link instanceof errors.HTTPParserError) return 'invalid_response';
    if (!(link instanceof Error) || !('code' in link) || typeof link.code !== 'string') continue;
    const code = CODES[link.code] ?? (TLS_CODE.test(link.code) ? 'tls' : undefined);
    if (code !== undefined) return code;
  }
  return 'connection_failed';
}

function* causes(error: unknown): Generator {
  for (let link = error, depth = 0; link instanceof Error && depth < 8; link = link.cause, depth += 1) {
    yield link;
    // Several addresses were tried; the first one's failure is reported.
    if (link instanceof AggregateError) yield* link.errors.slice(0, 1);
  }
}
