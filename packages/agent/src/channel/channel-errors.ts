/** The platform does not know an agent with this token. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
}

/** A newer process uses the same token. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
}

/** The platform could not be reached, or failed; the same request may succeed later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** The reason why a request failed, for the log: the messages of all causes. */
export function describeFailure(error: unknown): string {
  const messages: string[] = [];
  for (let link = error, depth = 0; link instanceof Error && depth < 6; link = link.cause, depth += 1) {
    // Several addresses were tried, each with an error.
    const first: unknown = link instanceof AggregateError ? link.errors[0] : undefined;
    const text = link.message || (first instanceof Error ? first.message : '');
    if (text !== '' && !messages.some((message) => message.includes(text))) messages.push(text);
  }
  return messages.join(': ') || 'unknown error';
}
