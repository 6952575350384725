import type { ServerResponse } from 'node:http';
import { EventStream } from '@fairlead/service-kit/http/event-stream';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ResumableAnswer } from './resumable-answer.ts';

/** Pause after which a client that has lost the stream requests the rest. */
const RETRY_MS = 500;
const KEEP_ALIVE_MS = 15_000;
/** Time after which a client that reads nothing is disconnected. */
const TAKE_LIMIT_MS = 60_000;

/**
 * The answer to a posted request: a JSON response, or an event stream (`text/event-stream`) once a message precedes
 * the response.
 */
export class PostAnswer {
  readonly #response: ServerResponse;
  readonly #timers: Timers;
  #events: EventStream | undefined;
  #keepAlive: { cancel(): void } | undefined;
  readonly #openKept: (() => ResumableAnswer) | undefined;
  #kept: ResumableAnswer | undefined;

  /** `openKept` opens the storage of a stream's messages, for a client that may request them again. */
  constructor(response: ServerResponse, timers: Timers, openKept?: () => ResumableAnswer) {
    this.#response = response;
    this.#timers = timers;
    this.#openKept = openKept;
  }

  /** Whether the answer has become a stream. */
  get isStream(): boolean {
    return this.#events !== undefined;
  }

  /**
   * Sends a message before the response. Resolves when there is room for the next one. Messages to a disconnected
   * client are dropped, and a client that reads nothing for a minute is disconnected.
   */
  async sendBefore(json: Uint8Array): Promise<void> {
    const events = this.#begin();
    const id = this.#kept?.add(json, false);
    if (!events.isOpen) return;
    events.sendJson('message', json, id);
    if (!events.isFull) return;
    await new Promise<void>((resolve) => {
      const limit = this.#timers.after(TAKE_LIMIT_MS, () => events.cut());
      events.onceTaken(() => {
        limit.cancel();
        resolve();
      });
    });
  }

  /** Sends the response, with its own status if no message precedes it. Empty text: no response. */
  finish(status: number, pieces: readonly Uint8Array[]): void {
    if (this.#events === undefined) {
      sendPieces(this.#response, status, pieces.length === 0 ? '' : pieces);
      return;
    }
    if (pieces.length === 0) return this.end();
    const json = Buffer.concat(pieces);
    const id = this.#kept?.add(json, true);
    if (!this.#events.isOpen) return;
    this.#events.sendJson('message', json, id);
    this.#events.end();
  }

  /** Ends without a response; only a stream can. */
  end(): void {
    if (this.#response.headersSent && this.#events === undefined) return;
    this.#begin().end();
    this.#kept?.drop();
  }

  #begin(): EventStream {
    if (this.#events !== undefined) return this.#events;
    const events = new EventStream(this.#response, { onClose: () => this.#keepAlive?.cancel() });
    this.#events = events;
    this.#kept = this.#openKept?.();
    if (this.#kept !== undefined) events.prime(this.#kept.firstId(), RETRY_MS);
    this.#planKeepAlive(events);
    return events;
  }

  #planKeepAlive(events: EventStream): void {
    this.#keepAlive = this.#timers.after(KEEP_ALIVE_MS, () => {
      if (!events.isOpen) return;
      events.keepAlive();
      this.#planKeepAlive(events);
    });
  }
}
