/** Limits of one replica. */
export interface StreamLimits {
  readonly streams: number;
  /** Maximum streams of an account's clients with a credential. */
  readonly streamsPerAccount: number;
  /** Maximum streams of a server's clients without a credential. */
  readonly anonymousStreamsPerServer: number;
  /** Maximum unread bytes of a client when the next message arrives; above it, its stream is cut. */
  readonly bufferedBytes: number;
  /** Maximum unread bytes of all clients of an account; above it, the slowest client's stream is cut. */
  readonly bufferedBytesPerAccount: number;
  /** Maximum bytes of a message that arrives in pieces, and of all such messages together. */
  readonly messageBytes: number;
  readonly totalBytes: number;
}

const MIB = 1024 * 1024;

/** The limits in production. */
export const STREAM_LIMITS: StreamLimits = {
  streams: 20_000,
  streamsPerAccount: 1_000,
  anonymousStreamsPerServer: 100,
  bufferedBytes: 8 * MIB,
  bufferedBytesPerAccount: 64 * MIB,
  messageBytes: 32 * MIB,
  totalBytes: 128 * MIB,
};
