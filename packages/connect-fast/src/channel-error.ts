import { Code, ConnectError } from '@connectrpc/connect';

/** A call got no response because its connection failed or broke. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** Whether the other side may have seen the request; if not, it can be sent again to any address. */
  readonly wasSent: boolean;

  constructor(cause: unknown, wasSent: boolean) {
    super(wasSent ? 'The connection broke before the answer.' : 'The service cannot be reached.', { cause });
    this.wasSent = wasSent;
  }
}

/**
 * The error for the caller of a transport: a ChannelError becomes UNAVAILABLE and is its `cause`, anything else is returned
 * unchanged.
 */
export function unwrapChannelError(error: unknown): unknown {
  if (!(error instanceof ChannelError)) return error;
  return new ConnectError(error.message, Code.Unavailable, undefined, undefined, error);
}
