import { FairleadConnectionError, FairleadError, FairleadTimeoutError } from '@fairlead/sdk';

/** The exit codes. Documented in README.md; scripts branch on them. */
export const EXIT_CODES = {
  ok: 0,
  /** The command failed. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** Not signed in, or not allowed to. */
  denied: 3,
  notFound: 4,
  /** Rate limited, unreachable or timed out: the same call may succeed later. */
  tryLater: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** EXIT_CODES for people. */
export const EXIT_CODES_LINE =
  'Exit codes: 0 done, 1 failed, 2 called wrongly, 3 not signed in or not allowed, 4 not found, 5 try later, 130 Ctrl-C.';

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Ends a command with a message for people. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The report of an error, and the exit code. Contains no secret, because no error does. */
export interface Report {
  readonly exitCode: ExitCode;
  /** Lines for people. */
  readonly text: string;
  /** For scripts. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The report of anything that a command threw. */
export function reportOf(error: unknown): Report {
  if (error instanceof FairleadError) return refusal(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: codeOf(error), text: message, json: { message } };
}

function codeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof FairleadConnectionError || error instanceof FairleadTimeoutError)
    return EXIT_CODES.tryLater;
  return EXIT_CODES.failed;
}

function refusal(error: FairleadError): Report {
  const { status, errorCode, message, requestId, details, candidates, retryAfterSeconds, approvalId } = error;
  const lines = [
    errorCode === undefined ? message : `${message} (${errorCode})`,
    // Most messages name the issues already.
    ...details
      .filter(({ issue }) => !message.includes(issue))
      .map(({ field, issue }) => `  ${field}: ${issue}`),
    ...(candidates.length > 0 ? [`  candidates: ${candidates.join(', ')}`] : []),
    ...(approvalId === undefined ? [] : [`  approval: ${approvalId}`]),
    ...(retryAfterSeconds === undefined ? [] : [`  try again in ${retryAfterSeconds} s`]),
    ...(requestId === undefined ? [] : [`  request: ${requestId}`]),
  ];
  const json = { status, errorCode, message, requestId, details, candidates, retryAfterSeconds, approvalId };
  return { exitCode: statusCode(status), text: lines.join('\n'), json };
}

function statusCode(status: number): ExitCode {
  switch (status) {
    case 401:
    case 403:
      return EXIT_CODES.denied;
    case 404:
      return EXIT_CODES.notFound;
    case 429:
    case 502:
    case 503:
    case 504:
      return EXIT_CODES.tryLater;
    default:
      return EXIT_CODES.failed;
  }
}
