import { Code, ConnectError } from '@connectrpc/connect';

/** A call got no answer because its connection could not be made or broke. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** Whether the other side may have seen the request: if not, it can be sent again wherever one likes. */
  readonly wasSent: boolean;

  constructor(cause: unknown, wasSent: boolean) {
    super(wasSent ? 'The connection broke before the answer.' : 'The service cannot be reached.', { cause });
    this.wasSent = wasSent;
  }
}

/** What the caller of a transport gets: anything but a ChannelError passes as it is. */
export function unwrapChannelError(error: unknown): unknown {
  if (!(error instanceof ChannelError)) return error;
  return new ConnectError(error.message, Code.Unavailable, undefined, undefined, error.cause);
}
