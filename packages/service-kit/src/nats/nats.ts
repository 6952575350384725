import { setTimeout as delay } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { guid } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createAddressedRequests } from './addressed.ts';
import type { AddressedDefinition, AddressedRequests } from './addressed.ts';
import { createAddressedLog } from './addressed-log.ts';
import type { AddressedLog, AddressedLogDefinition } from './addressed-log.ts';
import { openBucket } from './bucket.ts';
import type { Bucket, BucketDefinition } from './bucket.ts';
import { consumeStream } from './consumer.ts';
import type { ConsumerDefinition, HandleBatch, StreamConsumer } from './consumer.ts';
import { decodeEvent, encodeEvent, originHeaders, originOf } from './events.ts';
import type { EventDefinition, EventOrigin } from './events.ts';
import { followStream } from './follower.ts';
import { monotonicMs, openNatsLink } from './link.ts';
import type { NatsLink } from './link.ts';
import { answerRollCalls, callRoll } from './roll-call.ts';
import { StreamDeclarationError, ensureStream, streamExists } from './streams.ts';
import type { StreamDefinition } from './streams.ts';
import { NatsUnavailableError } from './unavailable.ts';
import type { Secret } from '../secret.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { currentSpan } from '../telemetry/tracing.ts';

/** A subscription to events, for as long as the service runs. */
export interface EventSubscription {
  /**
   * Identifies the current period in which no event was missed. Data that was loaded in the same session, and for
   * which no event arrived since, is still valid, apart from events of the last second and a half. Undefined while
   * events may be missed.
   */
  session(): number | undefined;
}

/** Handles an event. It must be quick, because the next message waits for it. Errors that it throws are logged. */
type EventHandler<S extends DescMessage> = (message: MessageShape<S>, origin: EventOrigin) => void;

/** The place where a stream stored a message. */
interface StoredMessage {
  /** The message's number in the stream, which counts from 1 again when the stream is recreated. */
  readonly sequence: number;
  /** Whether the stream already had a message with this id; the number is that message's. */
  readonly isDuplicate: boolean;
}

/** The age and the contents of a stream. */
interface StreamState {
  /** Creation time; another value means another stream, which counts from 1. */
  readonly createdAt: string;
  /** Number of the oldest message that it may still hold; every older one was acknowledged or is lost. */
  readonly firstSequence: number;
  /** Number of the newest stored message; 0: none yet. */
  readonly lastSequence: number;
  readonly messages: number;
}

/** Publishes events and subscribes to them. */
export interface Nats {
  /** Whether NATS has answered within the last second and a half. */
  isLive(): boolean;
  /**
   * Publishes to the current subscribers, at most once. Resolves when NATS has the message; rejects with
   * NatsUnavailableError.
   */
  publish<S extends DescMessage>(
    event: EventDefinition<S>,
    message: MessageInitShape<S>,
    origin?: EventOrigin,
  ): Promise<void>;
  /**
   * Publishes to the event's stream. Resolves when the message is stored; rejects with NatsUnavailableError, after
   * which it may still be stored. A repeated message with the `id` of a recently stored one is stored once. Calls
   * need not wait for each other: while the connection lasts, messages are stored in the order of the calls.
   */
  publishToStream<S extends DescMessage>(
    event: EventDefinition<S>,
    message: MessageInitShape<S>,
    o?: EventOrigin & { readonly id?: string },
  ): Promise<StoredMessage>;
  /** The state of the event's stream; rejects with NatsUnavailableError, also if there is no such stream. */
  streamState(event: EventDefinition): Promise<StreamState>;
  /** Subscribes to events published from now on. Events during an outage are missed. */
  subscribe<S extends DescMessage>(event: EventDefinition<S>, handle: EventHandler<S>): EventSubscription;
  /**
   * Subscribes to all events that the stream stores from now on, in order. Events during an outage arrive afterwards.
   * `onGap` reports that some are lost, because the stream no longer has them.
   */
  follow<S extends DescMessage>(
    event: EventDefinition<S>,
    o: { readonly onEvent: EventHandler<S>; readonly onGap: () => void },
  ): EventSubscription;
  /** Handles the messages of a stream that several replicas share, each message at least once. */
  consume<S extends DescMessage>(consumer: ConsumerDefinition<S>, handle: HandleBatch<S>): StreamConsumer;
  /** Sends requests to the process that has an address, and answers those for this process's addresses. */
  addressed<Q extends DescMessage, A extends DescMessage>(
    definition: AddressedDefinition<Q, A>,
    answer: (address: string, message: MessageShape<Q>) => MessageInitShape<A>,
  ): AddressedRequests<Q, A>;
  /** A log of messages by address, in a stream that this or another process declares. */
  log<S extends DescMessage>(definition: AddressedLogDefinition<S>): AddressedLog<S>;
  /** A bucket, which is created if it does not exist. */
  bucket<T>(definition: BucketDefinition<T>): Bucket<T>;
  /** Answers roll calls on a subject; `answer` must be quick. */
  answerRollCalls(subject: string, answer: () => unknown): void;
  /** The answers of all processes to a roll call, as JSON, which arrive within `waitMs`. Rejects with NatsUnavailableError. */
  callRoll<T>(o: {
    readonly subject: string;
    readonly schema: z.ZodType<T>;
    readonly waitMs: number;
  }): Promise<readonly T[]>;
  /** Closes everything; published messages are sent first. */
  close(): Promise<void>;
}

/** Maximum time that a boot waits for NATS. */
const BOOT_WAIT_MS = 1_000;
const ANSWER_LIMIT_MS = 1_000;
const STREAM_RETRY_MS = 2_000;
const STREAM_CHECK_MS = 2_000;
/** The repetition has the same message id, so a lost acknowledgement does no harm. */
const STREAM_ATTEMPTS = 2;

/** This process's connections; more than one only if tests run several services in it. */
const connections = new Set<Nats>();
registry.observed({
  name: 'nats_live',
  help: '1 while NATS answers and changes are heard of at once, 0 while it does not.',
  read: () => ([...connections].every((nats) => nats.isLive()) ? 1 : 0),
});

/**
 * Connects to NATS and creates the declared streams, now or when NATS becomes reachable. Resolves within about a
 * second, whether or not NATS answers, and reconnects forever. Deleted streams are created again. Rejects only with a
 * StreamDeclarationError: an existing stream cannot be changed to its declaration.
 */
export async function connectNats(o: {
  readonly url: Secret;
  /** The service's name, for people who inspect the server. */
  readonly name: string;
  readonly log: Logger;
  readonly streams?: readonly StreamDefinition[];
}): Promise<Nats> {
  const link = openNatsLink(o);
  const streams = o.streams ?? [];
  const made = new Promise<void>((resolve, reject) => {
    // On every connection, because the server may have lost its data.
    link.onConnected((connection, lost) => {
      const connected = { connection, lost, streams, log: o.log };
      ensureStreams(connected).then(() => {
        resolve();
        return recreateStreams(connected);
      }, reject);
    });
  });
  try {
    await Promise.race([made, delay(BOOT_WAIT_MS)]);
  } catch (error) {
    await link.close();
    throw error;
  }
  const nats = createNatsClient(link, o.log);
  connections.add(nats);
  return nats;
}

/** Streams that are recreated if they are deleted. */
interface ConnectedStreams {
  readonly connection: NatsConnection;
  readonly lost: AbortSignal;
  readonly streams: readonly StreamDefinition[];
  readonly log: Logger;
}

/**
 * Recreates streams that are deleted while the connection lasts. Existing ones are not changed, because a replica of
 * another release may declare them differently.
 */
async function recreateStreams(o: ConnectedStreams): Promise<void> {
  while (o.streams.length > 0 && !o.lost.aborted) {
    await delay(STREAM_CHECK_MS, undefined, { signal: o.lost, ref: false }).catch(() => undefined);
    for (const stream of o.streams) {
      try {
        if (o.lost.aborted || (await streamExists(o.connection, stream))) continue;
        await ensureStream(o.connection, stream);
        o.log.warn({ stream: stream.name }, 'created a NATS stream again that had disappeared');
      } catch (error) {
        if (!o.lost.aborted) o.log.warn({ err: error, stream: stream.name }, 'could not check a NATS stream');
      }
    }
  }
}

/** Creates the streams while the connection lasts; rejects if one cannot be changed to its declaration. */
async function ensureStreams(o: ConnectedStreams): Promise<void> {
  for (const stream of o.streams) {
    for (let isMade = false; !isMade && !o.lost.aborted;) {
      try {
        await ensureStream(o.connection, stream);
        isMade = true;
      } catch (error) {
        if (o.lost.aborted) return;
        o.log.error({ err: error, stream: stream.name }, 'could not create or update a NATS stream');
        if (error instanceof StreamDeclarationError) throw error;
        await delay(STREAM_RETRY_MS, undefined, { signal: o.lost }).catch(() => undefined);
      }
    }
  }
}

/** The headers of a message: its publisher's origin, and the current trace. */
function headersOf(origin: EventOrigin): MsgHdrs {
  return originHeaders({ traceparent: currentSpan()?.headers()['traceparent'], ...origin });
}

function createNatsClient(link: NatsLink, log: Logger): Nats {
  const connectionNow = (): NatsConnection => {
    const connection = link.current();
    if (connection === undefined) throw new NatsUnavailableError('NATS is unreachable.');
    return connection;
  };
  const deliver = <S extends DescMessage>(
    event: EventDefinition<S>,
    handle: EventHandler<S>,
    { data, headers }: { readonly data: Uint8Array; readonly headers?: MsgHdrs | undefined },
  ): void => {
    try {
      handle(decodeEvent(event, data), originOf(headers));
    } catch (error) {
      log.error({ err: error, subject: event.subject }, 'could not handle an event');
    }
  };
  const nats: Nats = {
    isLive: () => link.session(0) !== undefined,
    async publish(event, message, origin = {}) {
      const connection = connectionNow();
      const payload = encodeEvent(event, create(event.schema, message));
      connection.publish(event.subject, payload, { headers: headersOf(origin) });
      await orOverloaded(connection.flush());
    },
    async publishToStream(event, message, { id = guid(), ...origin } = {}) {
      const payload = encodeEvent(event, create(event.schema, message));
      const acknowledgement = jetstream(connectionNow()).publish(event.subject, payload, {
        msgID: id,
        headers: headersOf(origin),
        timeout: ANSWER_LIMIT_MS,
        retries: STREAM_ATTEMPTS,
      });
      const { seq, duplicate } = await acknowledgement.catch((error: unknown) => {
        throw new NatsUnavailableError('NATS did not confirm that a message is stored.', { cause: error });
      });
      return { sequence: seq, isDuplicate: duplicate };
    },
    async streamState({ subject }) {
      const connection = connectionNow();
      try {
        const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: ANSWER_LIMIT_MS });
        const { created, state } = await streams.info(await streams.find(subject));
        const { first_seq: firstSequence, last_seq: lastSequence, messages } = state;
        return { createdAt: created, firstSequence, lastSequence, messages };
      } catch (error) {
        throw new NatsUnavailableError('NATS did not report the content of a stream.', { cause: error });
      }
    },
    subscribe(event, handle) {
      let subscribedAt = Number.POSITIVE_INFINITY;
      link.onConnected((connection, lost) => {
        const subscription = connection.subscribe(event.subject, {
          callback: (error, message) => {
            if (error === null) return deliver(event, handle, message);
            subscribedAt = Number.POSITIVE_INFINITY;
            log.error({ err: error, subject: event.subject }, 'NATS refuses a subscription');
          },
        });
        subscribedAt = monotonicMs();
        // The next connection subscribes again.
        lost.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
      });
      return { session: () => link.session(subscribedAt) };
    },
    follow(event, { onEvent, onGap }) {
      const follower = followStream({
        link,
        subject: event.subject,
        onMessage: (message) => deliver(event, onEvent, message),
        onGap,
        log,
      });
      return { session: () => link.session(follower.attachedAt() ?? Number.POSITIVE_INFINITY) };
    },
    consume: (consumer, handle) => consumeStream({ link, consumer, handle, log }),
    addressed: (definition, answer) => createAddressedRequests({ link, definition, answer, log }),
    log: (definition) => createAddressedLog(link, definition),
    bucket: (definition) => openBucket({ link, definition, log }),
    answerRollCalls: (subject, answer) => answerRollCalls({ link, subject, answer, log }),
    callRoll: (call) => callRoll({ link, ...call }),
    close() {
      connections.delete(nats);
      return link.close();
    },
  };
  return nats;
}

async function orOverloaded(answer: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within the time limit')), ANSWER_LIMIT_MS);
  });
  try {
    await Promise.race([answer, limit]);
  } catch (error) {
    throw new NatsUnavailableError('NATS did not confirm that it has a message.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
