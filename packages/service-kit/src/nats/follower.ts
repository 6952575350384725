import { setTimeout as delay } from 'node:timers/promises';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../telemetry/logger.ts';
import { monotonicMs } from './link.ts';
import type { NatsLink } from './link.ts';

/** Follows one subject of a stream from its first attachment on, in order, across outages. */
export interface StreamFollower {
  /** Time (monotonic) of the current attachment, since which nothing was missed; undefined while there is none. */
  attachedAt(): number | undefined;
}

const RETRY_MS = 500;
const HEARTBEAT_MS = 5_000;
const PULL_MS = 30_000;
const BATCH = 256;
/** Number of missed heartbeats after which the consumer is recreated, instead of waiting for the library to notice twice. */
const BROKEN = new Set(['heartbeats_missed', 'consumer_not_found', 'consumer_deleted', 'stream_not_found']);

/** A follower's position in its stream. */
interface Position {
  /** Identifies the stream; a recreated one counts from 1 again. */
  readonly created: string;
  readonly sequence: number;
}

/**
 * Follows `subject` in its stream, whichever service owns it; waits for a stream that does not exist yet. After an
 * outage, the follower continues at its position. If the stream no longer has the next message (it expired, or the
 * stream was recreated), `onGap` is called instead and the follower continues from now.
 */
export function followStream(o: {
  readonly link: NatsLink;
  readonly subject: string;
  readonly onMessage: (message: JsMsg) => void;
  readonly onGap: () => void;
  readonly log: Logger;
}): StreamFollower {
  let position: Position | undefined;
  let attachedAt: number | undefined;

  const attach = async (connection: NatsConnection): Promise<ConsumerMessages> => {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const stream = await manager.streams.find(o.subject);
    const { created, state } = await manager.streams.info(stream);
    const canGoOn =
      position?.created === created &&
      position.sequence <= state.last_seq &&
      state.first_seq <= position.sequence + 1;
    if (position !== undefined && !canGoOn) o.onGap();
    const from: Position =
      canGoOn && position !== undefined ? position : { created, sequence: state.last_seq };
    position = from;
    const consumer = await jetstream(connection).consumers.get(stream, {
      filter_subjects: o.subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from.sequence + 1,
    });
    return consumer.consume({
      max_messages: BATCH,
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
      callback: (message) => {
        position = { created, sequence: message.seq };
        o.onMessage(message);
      },
    });
  };

  /** Stays attached until the connection or the consumer is lost. */
  const stay = async (messages: ConsumerMessages, lost: AbortSignal): Promise<void> => {
    const end = (): void => void messages.close();
    lost.addEventListener('abort', end, { once: true });
    if (lost.aborted) end();
    attachedAt = monotonicMs();
    try {
      for await (const { type } of messages.status()) if (BROKEN.has(type)) break;
    } finally {
      attachedAt = undefined;
      lost.removeEventListener('abort', end);
      end();
    }
  };

  o.link.onConnected((connection, lost) => {
    const run = async (): Promise<void> => {
      while (!lost.aborted) {
        try {
          await stay(await attach(connection), lost);
        } catch (error) {
          if (!lost.aborted) o.log.debug({ err: error, subject: o.subject }, 'cannot follow a stream yet');
        }
        await delay(RETRY_MS, undefined, { signal: lost }).catch(() => undefined);
      }
    };
    void run();
  });
  return { attachedAt: () => attachedAt };
}
