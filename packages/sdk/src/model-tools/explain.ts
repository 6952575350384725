import { FairleadError } from '../errors.ts';
import type { TryError } from '../errors.ts';

const UNKNOWN_EFFECT = 'It is unknown whether the call took effect: check before you repeat it.';

/**
 * The text that tells a model why the API refused or did not answer a call. The texts of the API are masked; addresses and
 * credentials of the installation are in none.
 */
export function explain(error: TryError): string {
  if (!(error instanceof FairleadError)) return `No answer arrived. ${UNKNOWN_EFFECT}`;
  const { errorCode, approvalId, message, details, candidates, retryAfterSeconds } = error;
  if (errorCode === 'APPROVAL_REQUIRED') {
    return (
      `Nothing was executed: a person has to approve this call first (approval ${approvalId ?? 'unknown'}). Tell the user so. ` +
      'Once it is approved, call the tool again with the same inputs.'
    );
  }
  // An earlier attempt of the same call still runs, and the client has stopped waiting for it.
  if (errorCode === 'IDEMPOTENCY_IN_PROGRESS') return `The call still runs. ${UNKNOWN_EFFECT}`;
  // The response came from a proxy between the client and the API.
  if (errorCode === undefined) return `The service answered with status ${error.status}. ${UNKNOWN_EFFECT}`;
  const parts = [
    `The call was refused (${errorCode}): ${message}`,
    // Most messages name the issues already.
    details
      .filter(({ issue }) => !message.includes(issue))
      .map(({ field, issue }) => `${field}: ${issue}`)
      .join('; '),
    candidates.length > 0 ? `Candidates: ${candidates.join(', ')}` : '',
    retryAfterSeconds === undefined ? '' : `Try again in ${retryAfterSeconds} seconds.`,
    error.status === 504 ? UNKNOWN_EFFECT : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
