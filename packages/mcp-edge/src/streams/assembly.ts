import type { StreamAddressed_Piece as Piece } from '@fairlead/contracts/gateway/v1/client_streams_pb';

/** Limits of messages that are being assembled. */
export interface AssemblyLimits {
  readonly messageBytes: number;
  /** Total bytes. */
  readonly totalBytes: number;
}

/**
 * The result of a piece: the complete message, or the reason why it is incomplete. `busy`: the same piece may be sent
 * again later.
 */
export type AssemblyResult = Uint8Array | 'more' | 'busy' | 'refused';

interface PartialMessage {
  readonly bytes: Buffer;
  filled: number;
  touchedAtMs: number;
}

/** Time after which an incomplete message is dropped. */
const ABANDONED_MS = 60_000;

/** Assembles messages from pieces. */
export class Assembly {
  readonly #limits: AssemblyLimits;
  readonly #begun = new Map<string, PartialMessage>();
  #bytes = 0;

  constructor(limits: AssemblyLimits) {
    this.#limits = limits;
  }

  /** Adds the next piece of a message. A message of one piece is complete at once and does not count. */
  add({ messageId, offset, totalBytes, data }: Piece, nowMs: number): AssemblyResult {
    if (offset === 0 && data.length === totalBytes) return data;
    if (totalBytes > this.#limits.messageBytes || data.length === 0) return 'refused';
    const message = offset === 0 ? this.#begin(messageId, totalBytes) : this.#begun.get(messageId);
    if (message === 'busy') return 'busy';
    if (message?.filled !== offset || offset + data.length > message.bytes.length) {
      this.#drop(messageId);
      return 'refused';
    }
    message.bytes.set(data, offset);
    message.filled += data.length;
    message.touchedAtMs = nowMs;
    if (message.filled < message.bytes.length) return 'more';
    this.#drop(messageId);
    return message.bytes;
  }

  /** Drops messages whose remaining pieces have not arrived in time. */
  sweep(nowMs: number): void {
    for (const [id, { touchedAtMs }] of this.#begun) if (nowMs - touchedAtMs > ABANDONED_MS) this.#drop(id);
  }

  #begin(messageId: string, totalBytes: number): PartialMessage | 'busy' {
    if (this.#bytes + totalBytes > this.#limits.totalBytes) return 'busy';
    const message = { bytes: Buffer.allocUnsafe(totalBytes), filled: 0, touchedAtMs: 0 };
    this.#begun.set(messageId, message);
    this.#bytes += totalBytes;
    return message;
  }

  #drop(messageId: string): void {
    const message = this.#begun.get(messageId);
    if (message === undefined) return;
    this.#begun.delete(messageId);
    this.#bytes -= message.bytes.length;
  }
}
