import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  StreamAddressedReply_Outcome as Outcome,
  StreamAddressedSchema,
} from '@fairlead/contracts/gateway/v1/client_streams_pb';
import type { StreamAddressedReplySchema } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import type { AddressedRequests } from '@fairlead/service-kit/nats/addressed';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { LocalStreams } from './local-streams.ts';
import type { NewStream, StreamRequest } from './local-streams.ts';
import type { SentMessages } from './sent-messages.ts';
import { STREAM_LIMITS } from './stream-limits.ts';
import type { StreamLimits } from './stream-limits.ts';

/** Requests to the replica that holds a session's stream, addressed by session key. */
export type StreamPipe = AddressedRequests<typeof StreamAddressedSchema, typeof StreamAddressedReplySchema>;

/** Connects to other replicas; `answer` handles their requests to this one. */
export type OpenPipe = (
  answer: (
    key: string,
    request: { readonly content: StreamRequest },
  ) => MessageInitShape<typeof StreamAddressedReplySchema>,
) => StreamPipe;

/** A reserved place for one message on a stream at any replica. */
export interface ReservedPlace {
  /** Sends a message before the reserved one. False in the same cases as `send`. */
  sendBefore(json: Uint8Array): Promise<boolean>;
  /** Sends the message that the place was reserved for. False: it was not delivered, because the stream is gone or its client too slow. */
  send(json: Uint8Array): Promise<boolean>;
  /** Releases the reserved place without sending a message. */
  release(): Promise<void>;
}

/** The clients' streams of this replica, and access to those of other replicas. */
export interface StreamHub {
  /**
   * Turns the response into the session's stream, which replaces an older one at any replica. `first` is its first
   * event. Throws RATE_LIMIT_EXCEEDED or UNAVAILABLE above the limits.
   */
  open(
    o: NewStream & {
      /** Whether the session is new, so that no replica can have a stream of it. */
      readonly isNew: boolean;
      readonly first?: { readonly event: string; readonly data: string; readonly id: string };
      /** The last event that the client has received. Later events that are still kept are sent first. */
      readonly lastEventId?: string | undefined;
    },
  ): Promise<void>;
  /**
   * Reserves a place for a message on the session's stream. Undefined: no reachable replica holds the stream, or the
   * signal aborts.
   */
  reserve(key: string, signal: AbortSignal): Promise<ReservedPlace | undefined>;
  /** Ends the session's stream, if a reachable replica holds it. */
  end(key: string): Promise<void>;
  /**
   * Sends a message at once to each stream of this replica that the predicate accepts (by key and account), without a
   * reserved place.
   */
  notify(isConcerned: (key: string, accountId: string) => boolean, json: Uint8Array): void;
  /** Sends a message at once to the session's stream, if this replica holds it, without a reserved place. */
  tell(key: string, json: Uint8Array): void;
  /** Makes the replica with the session's stream read its subscriptions again. Throws UNAVAILABLE if it does not reply. */
  refreshSubscriptions(key: string): Promise<void>;
  /** Ends this replica's streams of an account whose clients are no longer admitted. */
  checkAccount(accountId: string): Promise<void>;
  /** From now on, ends each stream between two calls of its client, which then connects to another replica. */
  leave(): void;
  /** Ends each stream when its reserved messages are sent; after `graceMs`, cuts the rest. */
  drain(graceMs: number): Promise<void>;
}

/** Maximum wait for the holder's reply to requests that it answers at once: reservations, and pieces of an answer. */
const REPLY_LIMIT_MS = 2_000;
/** Maximum wait for the reply to ending an older stream. The stream ends even without a reply, and most sessions have none. */
const END_LIMIT_MS = 250;
const PIECE_LIMIT_MS = 10_000;
/** Pauses between attempts to reach a stream that no replica holds, because its client may be reconnecting. */
const ABSENT_PAUSES_MS = [50, 100, 200, 400, 800] as const;
/** Pause between attempts at a busy holder, and the number of attempts. */
const BUSY_PAUSE_MS = 250;
const BUSY_ATTEMPTS = 120;
/** Maximum bytes of a piece, unless NATS allows less, and the bytes of its envelope. */
const MAX_PIECE_BYTES = 1024 * 1024;
const PIECE_OVERHEAD_BYTES = 1_024;

const requestOf = (
  content: NonNullable<MessageInitShape<typeof StreamAddressedSchema>['content']>,
): StreamRequest => create(StreamAddressedSchema, { content }).content;
const RESERVATION = requestOf({ case: 'reservation', value: {} });
const RELEASE = requestOf({ case: 'release', value: {} });
const END = requestOf({ case: 'end', value: {} });
const SUBSCRIPTIONS_CHANGED = requestOf({ case: 'subscriptionsChanged', value: {} });

/** Holds streams and reaches those of other replicas over `pipe`. During an outage of `pipe`, the replica's own streams work. */
export function createStreamHub(o: {
  readonly openPipe: OpenPipe;
  readonly sent: SentMessages;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** The limits; default: those of production. */
  readonly limits?: StreamLimits;
}): StreamHub {
  const { timers, log, sent } = o;
  const localStreams = new LocalStreams({
    limits: o.limits ?? STREAM_LIMITS,
    clock: o.clock,
    timers,
    sent,
    onLeft: (key) => pipe.leave(key),
  });
  const pipe = o.openPipe((key, { content }) => ({
    outcome: localStreams.take(key, content) ?? Outcome.REFUSED,
  }));
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void timers.after(ms, resolve));

  /** One attempt. Undefined: no replica received the request, so it can be sent again. */
  async function attempt(key: string, content: StreamRequest): Promise<Outcome | undefined> {
    const own = localStreams.take(key, content);
    if (own !== undefined) return own;
    const timeoutMs = content.case === 'piece' ? PIECE_LIMIT_MS : REPLY_LIMIT_MS;
    const reply = await pipe.ask(key, { content }, { timeoutMs });
    return reply?.outcome;
  }

  /** Sends a request to the holder; repeats it while there is no holder, or the holder is busy. Returns the last outcome. */
  async function request(
    key: string,
    content: StreamRequest,
    signal?: AbortSignal,
  ): Promise<Outcome | 'absent' | 'unknown'> {
    let absences = 0;
    let last: Outcome | 'absent' = 'absent';
    try {
      for (let attempts = 0; attempts < BUSY_ATTEMPTS; attempts += 1) {
        if (signal?.aborted === true) return last;
        last = (await attempt(key, content)) ?? 'absent';
        if (last === Outcome.DONE || last === Outcome.REFUSED) return last;
        const pauseMs = last === 'absent' ? ABSENT_PAUSES_MS[absences] : BUSY_PAUSE_MS;
        if (pauseMs === undefined) return last;
        if (last === 'absent') absences += 1;
        await pause(pauseMs);
      }
    } catch (error) {
      log.warn({ err: error }, 'the holder of a stream did not reply');
      return 'unknown';
    }
    return last;
  }

  // An unreachable holder releases the place when its stream ends.
  const release = async (key: string) => void (await attempt(key, RELEASE).catch(() => undefined));

  async function send(key: string, json: Uint8Array, isReserved: boolean): Promise<boolean> {
    const pieceBytes = localStreams.has(key)
      ? json.length
      : Math.min(pipe.maxBytes(), MAX_PIECE_BYTES) - PIECE_OVERHEAD_BYTES;
    const messageId = guid();
    for (let offset = 0; offset < json.length; offset += pieceBytes) {
      const value = {
        messageId,
        offset,
        totalBytes: json.length,
        data: json.subarray(offset, offset + pieceBytes),
        isReserved,
      };
      const outcome = await request(key, requestOf({ case: 'piece', value }));
      if (outcome === Outcome.DONE) continue;
      // After a refusal, the place is already released.
      if (isReserved && outcome !== Outcome.REFUSED) await release(key);
      return false;
    }
    return true;
  }

  return {
    async open({ isNew, first, lastEventId, ...opened }) {
      const { key } = opened.session;
      const isFormerElsewhere = !isNew && !localStreams.has(key);
      const stream = localStreams.open(opened);
      if (!localStreams.isCurrent(stream)) return;
      if (first === undefined && lastEventId === undefined) localStreams.begin(stream);
      // This replica does not answer requests for the key yet, so another replica's stream ends.
      if (isFormerElsewhere)
        await pipe.ask(key, { content: END }, { timeoutMs: END_LIMIT_MS }).catch(() => undefined);
      if (!localStreams.isCurrent(stream)) return;
      await pipe.take(key);
      if (stream.isBegun || !localStreams.isCurrent(stream)) return;
      if (first !== undefined) stream.events.sendText(first);
      localStreams.begin(stream, lastEventId === undefined ? [] : await sent.after(key, lastEventId));
    },
    async reserve(key, signal) {
      const outcome = await request(key, RESERVATION, signal);
      if (outcome === Outcome.DONE && !signal.aborted)
        return {
          sendBefore: (json) => send(key, json, false),
          send: (json) => send(key, json, true),
          release: () => release(key),
        };
      if (outcome === Outcome.DONE || outcome === 'unknown') await release(key);
      return undefined;
    },
    // The session has already ended; an unreachable stream carries nothing more.
    end: async (key) => void (await attempt(key, END).catch(() => undefined)),
    notify: (isConcerned, json) => localStreams.notify(isConcerned, json),
    tell: (key, json) => localStreams.tell(key, json),
    async refreshSubscriptions(key) {
      await attempt(key, SUBSCRIPTIONS_CHANGED).catch((error: unknown) => {
        const message = 'The stream of the session cannot be reached. Send the same request again.';
        throw new ApiError('UNAVAILABLE', message, { cause: error, retryAfterSeconds: 1 });
      });
    },
    checkAccount: (accountId) => localStreams.checkAccount(accountId),
    leave: () => localStreams.leave(),
    drain: (graceMs) => localStreams.drain(graceMs),
  };
}
