/** The platform knows no agent with this token (any more). */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
}

/** A newer process runs with the same token. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

/** The platform could not be reached, or could not answer; the same request may succeed later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** Why a request failed, for the log: the messages of the whole chain of causes. */
export function describeFailure(error: unknown): string {
  const messages: string[] = [];
  for (let link = error, depth = 0; link instanceof Error && depth < 6; link = link.cause, depth += 1) {
    // Several addresses were tried.
    const first: unknown = link instanceof AggregateError ? link.errors[0] : undefined;
    const text = link.message || (first instanceof Error ? first.message : '');
    if (text !== '' && !messages.some((message) => message.includes(text))) messages.push(text);
  }
  return messages.join(': ') || 'unknown error';
}
