/** Bounds of what one replica holds. */
export interface StreamLimits {
  readonly streams: number;
  /** Most streams of an account whose clients have a credential. */
  readonly streamsPerAccount: number;
  /** Most streams of a server whose clients have none. */
  readonly anonymousStreamsPerServer: number;
  /** Bytes that a client may leave untaken when a further message comes; then its stream is cut. */
  readonly bufferedBytes: number;
  /** The same for all clients of one account; the slowest is cut. */
  readonly bufferedBytesPerAccount: number;
  /** Bytes of one message that arrives in pieces, and of all such messages at the same time. */
  readonly messageBytes: number;
  readonly totalBytes: number;
}

const MIB = 1024 * 1024;

/** The bounds of production. */
export const STREAM_LIMITS: StreamLimits = {
  streams: 20_000,
  streamsPerAccount: 1_000,
  anonymousStreamsPerServer: 100,
  bufferedBytes: 8 * MIB,
  bufferedBytesPerAccount: 64 * MIB,
  messageBytes: 32 * MIB,
  totalBytes: 128 * MIB,
};
