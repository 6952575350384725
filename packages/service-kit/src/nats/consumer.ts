import { setTimeout as delay } from 'node:timers/promises';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { AckPolicy, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Consumer, ConsumerConfig, ConsumerInfo, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../telemetry/logger.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { decodeEvent, originOf } from './events.ts';
import type { EventDefinition, EventOrigin } from './events.ts';
import { monotonicMs } from './link.ts';
import type { NatsLink } from './link.ts';

/** A durable consumer of the event's stream. All replicas share it, and each message goes to one of them. */
export interface ConsumerDefinition<S extends DescMessage = DescMessage> {
  /** Name in lower case; one owner per installation. */
  readonly name: string;
  readonly description: string;
  readonly event: EventDefinition<S>;
  /** Time after which an unacknowledged message is delivered again, to any replica. */
  readonly ackWaitMs: number;
  /** Maximum unacknowledged messages of all replicas together. */
  readonly maxAckPending: number;
  /** Maximum messages per batch. A replica holds twice as many. */
  readonly batchSize: number;
  /** Up to this number of messages handled or waiting, each is a batch of its own at once. Default: 0. */
  readonly fewMessages?: number;
}

/** A message with its publisher's origin. */
interface ReceivedEvent<S extends DescMessage> {
  readonly message: MessageShape<S>;
  readonly origin: EventOrigin;
}

/**
 * Handles a batch: the messages that arrived during the previous batch. They are acknowledged when it resolves, and
 * delivered again to any replica if it rejects, so a message may be handled more than once.
 */
export type HandleBatch<S extends DescMessage> = (batch: readonly ReceivedEvent<S>[]) => Promise<void>;

/** A running consumer. */
export interface StreamConsumer {
  /** Stops: returns the waiting messages to the stream, and waits for those being handled. */
  close(): Promise<void>;
}

const RETRY_MS = 500;
const PULL_MS = 5_000;
const HEARTBEAT_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

const outcomes = registry.counter({
  name: 'stream_messages_total',
  help: 'Messages of shared consumers: handled, failed (delivered again) or unreadable (removed).',
  labels: ['consumer', 'outcome'],
});

/** Declares a consumer. Undeclared settings stay as the operator set them. */
export function defineConsumer<S extends DescMessage>(
  definition: ConsumerDefinition<S>,
): ConsumerDefinition<S> {
  return definition;
}

interface UnackedEvent<S extends DescMessage> extends ReceivedEvent<S> {
  readonly raw: JsMsg;
}

/**
 * Handles a stream's messages in batches, one at a time, except that few messages do not wait for each other. Waits
 * for a stream that does not exist yet, and recreates the consumer if it or its stream was deleted. After a failure,
 * all messages are returned, and a single one is tried after a pause that grows to 5 s. Undecodable messages are
 * removed and counted.
 */
export function consumeStream<S extends DescMessage>(o: {
  readonly link: NatsLink;
  readonly consumer: ConsumerDefinition<S>;
  readonly handle: HandleBatch<S>;
  readonly log: Logger;
}): StreamConsumer {
  const { name, event, batchSize, fewMessages = 0 } = o.consumer;
  const stopping = new AbortController();
  // Created at the start, because Prometheus only sees increases of a series that it has read before.
  outcomes.series(name, 'unreadable');
  let waiting: UnackedEvent<S>[] = [];
  let handling = 0;
  const underWay = new Set<Promise<void>>();
  let onRoom: (() => void)[] = [];
  let pauseMs = 0;
  let pausedUntil = 0;

  const count = (outcome: 'handled' | 'failed' | 'unreadable', messages: number): void =>
    outcomes.series(name, outcome).add(messages);
  const giveBack = (messages: readonly UnackedEvent<S>[]): void => {
    for (const { raw } of messages) raw.nak(pauseMs);
  };
  const takeWaiting = (most: number): readonly UnackedEvent<S>[] => {
    const taken = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length > 0) return taken;
    for (const resolve of onRoom) resolve();
    onRoom = [];
    return taken;
  };

  async function handle(batch: readonly UnackedEvent<S>[]): Promise<void> {
    try {
      await o.handle(batch);
      for (const { raw } of batch) raw.ack();
      count('handled', batch.length);
      if (pauseMs > 0) o.log.info({ consumer: name }, 'messages of a stream are handled again');
      pauseMs = 0;
    } catch (error) {
      if (pauseMs === 0)
        o.log.warn({ err: error, consumer: name }, 'could not handle messages of a stream; they stay in it');
      count('failed', batch.length);
      pauseMs = Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      pausedUntil = monotonicMs() + pauseMs;
      giveBack([...batch, ...takeWaiting(waiting.length)]);
    }
  }
  /** Handles the waiting messages, unless so many are being handled that the next should form a batch. */
  function begin(): void {
    while (waiting.length > 0 && (handling === 0 || handling + waiting.length <= fewMessages)) {
      const batch = takeWaiting(batchSize);
      handling += batch.length;
      const work = handle(batch).finally(() => {
        handling -= batch.length;
        underWay.delete(work);
        begin();
      });
      underWay.add(work);
    }
  }

  const receive = (raw: JsMsg): void => {
    let unacked: UnackedEvent<S>;
    try {
      unacked = { raw, message: decodeEvent(event, raw.data), origin: originOf(raw.headers) };
    } catch (error) {
      raw.term('unreadable');
      count('unreadable', 1);
      o.log.error({ err: error, consumer: name, sequence: raw.seq }, 'removed an unreadable message');
      return;
    }
    if (stopping.signal.aborted || monotonicMs() < pausedUntil) return giveBack([unacked]);
    waiting.push(unacked);
    begin();
  };
  const room = (): Promise<void> =>
    waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => void onRoom.push(resolve));

  async function pull(consumer: Consumer, ended: AbortSignal): Promise<void> {
    await delay(Math.max(0, pausedUntil - monotonicMs()), undefined, { signal: ended });
    const messages = await consumer.fetch({
      max_messages: pauseMs > 0 ? 1 : batchSize,
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    await receiveAll(messages, ended, receive);
    await room();
  }

  o.link.onConnected((connection, lost) => {
    const ended = AbortSignal.any([lost, stopping.signal]);
    const run = async (): Promise<void> => {
      while (!ended.aborted) {
        try {
          const consumer = await ensureConsumer(connection, o.consumer);
          while (!ended.aborted) await pull(consumer, ended);
        } catch (error) {
          if (!ended.aborted) o.log.debug({ err: error, consumer: name }, 'cannot consume a stream yet');
        }
        await delay(RETRY_MS, undefined, { signal: ended }).catch(() => undefined);
      }
    };
    void run();
  });

  return {
    async close() {
      stopping.abort();
      giveBack(takeWaiting(waiting.length));
      await Promise.all(underWay);
      // Sends the acknowledgements before the connection may close.
      await o.link
        .current()
        ?.flush()
        .catch(() => undefined);
    },
  };
}

/** Receives the messages of one pull; rejects if the consumer is gone. */
async function receiveAll(
  messages: ConsumerMessages,
  ended: AbortSignal,
  receive: (message: JsMsg) => void,
): Promise<void> {
  const end = (): void => void messages.close();
  ended.addEventListener('abort', end, { once: true });
  if (ended.aborted) end();
  try {
    for await (const message of messages) receive(message);
  } finally {
    ended.removeEventListener('abort', end);
    end();
  }
}

/** Creates the consumer as declared, or updates it if it differs; any number of replicas may do so at once. */
async function ensureConsumer(connection: NatsConnection, d: ConsumerDefinition): Promise<Consumer> {
  const { streams, consumers } = await jetstreamManager(connection, { checkAPI: false });
  const stream = await streams.find(d.event.subject);
  const config = {
    durable_name: d.name,
    description: d.description,
    filter_subject: d.event.subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(d.ackWaitMs),
    max_ack_pending: d.maxAckPending,
    max_deliver: -1,
  } satisfies Partial<ConsumerConfig>;
  const existing = await consumers.info(stream, d.name).catch(ifNotFound);
  if (existing === undefined) await consumers.add(stream, config);
  else if (differs(existing, config)) await consumers.update(stream, d.name, config);
  return jetstream(connection).consumers.get(stream, d.name);
}

function ifNotFound(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.status === 404) return undefined;
  throw error;
}

function differs({ config }: ConsumerInfo, target: Readonly<Record<string, unknown>>): boolean {
  const current: Readonly<Record<string, unknown>> = { ...config };
  return Object.entries(target).some(([name, value]) => current[name] !== value);
}
