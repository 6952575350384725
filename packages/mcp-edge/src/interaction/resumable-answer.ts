import type { Timers } from '@fairlead/service-kit/timers';
import type { ReservedPlace, StreamHub } from '../streams/stream-hub.ts';

interface AnswerPart {
  readonly n: number;
  readonly json: Uint8Array;
  readonly isLast: boolean;
}

interface ResumableAnswerOptions {
  /** The event id of the message with this number. */
  readonly idOf: (n: number) => string;
  readonly hub: Pick<StreamHub, 'reserve' | 'end'>;
  readonly timers: Timers;
  /** Reserves or releases bytes of memory; false: there is no room. */
  readonly takeBytes: (bytes: number) => boolean;
  readonly onDropped: () => void;
}

/** Maximum bytes of one answer's kept messages. */
const ANSWER_BYTES = 8 * 1024 * 1024;
/** Time for which a complete answer can be resumed. */
const KEPT_MS = 120_000;

/** The kept messages of one answer, which its client may request again. */
export class ResumableAnswer {
  readonly #o: ResumableAnswerOptions;
  /** In order; the oldest messages are dropped if there are too many. */
  #messages: AnswerPart[] = [];
  #bytes = 0;
  #count = 0;
  /** The stream on which the answer is currently resumed. */
  #current: { readonly streamKey: string; next: number } | undefined;
  #wake: (() => void) | undefined;

  constructor(o: ResumableAnswerOptions) {
    this.#o = o;
  }

  /** The id of the stream's first event. */
  firstId(): string {
    return this.#o.idOf(0);
  }

  /** Keeps a message and returns its event id; the last message is the response. */
  add(json: Uint8Array, isLast: boolean): string {
    this.#count += 1;
    const n = this.#count;
    while (this.#bytes > 0 && this.#bytes + json.length > ANSWER_BYTES) this.#dropOldest();
    if (json.length <= ANSWER_BYTES && this.#o.takeBytes(json.length)) {
      this.#messages.push({ n, json, isLast });
      this.#bytes += json.length;
    }
    this.#wake?.();
    if (isLast) this.#o.timers.after(KEPT_MS, () => this.drop());
    return this.#o.idOf(n);
  }

  /**
   * Sends the messages after number `after`, and future ones, on the stream with this key. The stream ends after the
   * response.
   */
  async resume(streamKey: string, after: number): Promise<void> {
    const current = { streamKey, next: after + 1 };
    this.#current = current;
    this.#wake?.();
    const { hub } = this.#o;
    const place = await hub.reserve(streamKey, new AbortController().signal);
    if (place === undefined) return;
    while (this.#current === current) {
      const message = this.#messages.find(({ n }) => n >= current.next);
      if (message === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else {
        current.next = message.n + 1;
        if (!(await send(place, message))) return;
        if (!message.isLast) continue;
        this.#current = undefined;
        await hub.end(streamKey);
        return;
      }
    }
    await place.release();
  }

  /** Drops all messages. */
  drop(): void {
    if (this.#current !== undefined) void this.#o.hub.end(this.#current.streamKey);
    this.#current = undefined;
    this.#wake?.();
    while (this.#messages.length > 0) this.#dropOldest();
    this.#o.onDropped();
  }

  #dropOldest(): void {
    const oldest = this.#messages.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.json.length;
    this.#o.takeBytes(-oldest.json.length);
  }
}

/** False: the stream is closed; its client may reconnect. */
async function send(place: ReservedPlace, { json, isLast }: AnswerPart): Promise<boolean> {
  if (isLast) return place.send(json);
  const isSent = await place.sendBefore(json);
  if (!isSent) await place.release();
  return isSent;
}
