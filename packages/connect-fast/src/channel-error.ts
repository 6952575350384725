import { Code, ConnectError } from '@connectrpc/connect';

/** Thrown if a call got no response because its connection failed. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** Whether the server may have received the request. If not, it can be sent again to any address. */
  readonly wasSent: boolean;

  constructor(cause: unknown, wasSent: boolean) {
    super(wasSent ? 'The connection broke before the answer.' : 'The service cannot be reached.', { cause });
    this.wasSent = wasSent;
  }
}

/**
 * The error for a transport's caller: a ChannelError becomes the `cause` of an UNAVAILABLE error; other errors are
 * returned unchanged.
 */
export function unwrapChannelError(error: unknown): unknown {
  if (!(error instanceof ChannelError)) return error;
  return new ConnectError(error.message, Code.Unavailable, undefined, undefined, error);
}
