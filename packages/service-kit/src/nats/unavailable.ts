/** NATS did not confirm a message, or answer a request, before the time limit. */
export class NatsUnavailableError extends Error {
  override readonly name = 'NatsUnavailableError';
}
