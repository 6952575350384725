import type { JsonObject } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { EgressError } from '@fairlead/egress/error';
import type { Credential, InputIssue } from './call.ts';
import { cutText } from './cut-text.ts';
import type { Deadline } from './deadline.ts';
import { CallFailure, OverloadError, VendorRefusal, WithdrawnError } from './failure.ts';
import { InputError } from './handler.ts';
import { credentialMasker } from './secret-masking.ts';

/** Maximum length of a message, in characters. */
const MAX_MESSAGE_LENGTH = 2_000;

/** The reason why a call has no result, for its caller. */
export interface FailureReport {
  readonly errorMessage: string;
  readonly isUnauthorized: boolean;
  /** Present if the call was refused because of its inputs. */
  readonly inputIssues?: readonly InputIssue[];
  /** Nothing was executed, because too many other calls are running. */
  readonly isOverloaded?: true;
  /** Nothing was executed, because the caller no longer permitted the call. */
  readonly isWithdrawn?: true;
  /** The MCP server does not know the tool. */
  readonly isToolUnknown?: true;
  /** The MCP server's own error result, not masked. */
  readonly mcpResult?: JsonObject;
  /** The MCP server's JSON-RPC error, if the MCP client has to see it; not masked. */
  readonly mcpError?: JsonObject;
}

/**
 * Returns the text for people about a failed call, with the credential's secrets masked. Rethrows errors of
 * unexpected kinds: a defect is not an outcome.
 */
export function reportFailure(
  error: unknown,
  o: { readonly connector: ConnectorHead; readonly credential: Credential; readonly deadline: Deadline },
): FailureReport {
  const failure = expectedFailure(error, o.connector, o.deadline);
  const maskText = credentialMasker(o.credential);
  const isQuoted = failure instanceof VendorRefusal;
  // Secrets are masked first: a secret that is cut in two, or has other line breaks, would not be found later.
  const mask = (text: string): string =>
    shortened(isQuoted ? maskText(text).replaceAll(/\s+/g, ' ').trim() : maskText(text));
  const report = {
    errorMessage: mask(failure.message),
    isUnauthorized: failure.isUnauthorized,
    ...(failure.isToolUnknown && { isToolUnknown: true as const }),
    ...(failure.mcpResult && { mcpResult: failure.mcpResult }),
    ...(failure.mcpError && { mcpError: failure.mcpError }),
  };
  if (failure instanceof OverloadError) return { ...report, isOverloaded: true };
  if (failure instanceof WithdrawnError) return { ...report, isWithdrawn: true };
  if (!(failure instanceof InputError)) return report;
  return {
    ...report,
    inputIssues: failure.issues.map(({ field, issue }) => ({ field: mask(field), issue: mask(issue) })),
  };
}

/** The vendor responded, but the response cannot be used. */
const RESPONSE_CODES: ReadonlySet<string> = new Set([
  'response_too_large',
  'headers_too_large',
  'invalid_response',
]);

function expectedFailure(error: unknown, connector: ConnectorHead, deadline: Deadline): CallFailure {
  if (deadline.isCancelled()) return new CallFailure('The call was cancelled.');
  // Checked before the deadline: an overload means that the vendor was not called at all.
  if (error instanceof OverloadError) return error;
  const isTimeout = error instanceof EgressError && (error.code === 'timeout' || error.code === 'aborted');
  if (deadline.isOver() || isTimeout) {
    return new CallFailure(`${connector.name} did not respond within ${duration(deadline.timeoutMs)}.`);
  }
  if (error instanceof CallFailure) return error;
  if (error instanceof EgressError) {
    const wasReached = RESPONSE_CODES.has(error.code);
    return new CallFailure(
      wasReached ? error.message : `${connector.name} could not be reached: ${error.message}`,
    );
  }
  throw error;
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${cutText(text, MAX_MESSAGE_LENGTH)}…`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 1000)} s`;
}
