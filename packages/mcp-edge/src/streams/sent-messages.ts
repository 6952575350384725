import { StreamSentSchema } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { AddressedLog } from '@fairlead/service-kit/nats/addressed-log';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/** A message with its event id. */
export interface SentMessage {
  readonly json: Uint8Array;
  readonly id: string;
}

/** Recently sent stream messages by session key, for clients that have lost the connection. */
export interface SentMessages {
  /**
   * Stores a message; returns its event id. Undefined: it could not be stored, so the client cannot get it again.
   * Never rejects.
   */
  add(key: string, json: Uint8Array): Promise<string | undefined>;
  /** The messages after the event with this id, in order. None if the id is of another kind, or the messages cannot be read. */
  after(key: string, lastEventId: string): Promise<readonly SentMessage[]>;
}

const streamSent = defineEvent(StreamSentSchema);

/** Lifetime of a message; a client that has lost its stream reconnects within seconds. */
export const sentStream = defineStream({
  name: 'MCP_SENT',
  description: 'Messages that were lately sent on streams of MCP clients',
  events: [streamSent],
  isAddressed: true,
  retention: 'limits',
  discard: 'old',
  maxAgeMs: 120_000,
  maxBytes: 32 * 1024 * 1024,
  duplicateWindowMs: 1_000,
});

const EVENT_ID = /^s\.(\d{1,15})$/;
/** Maximum messages that wait to be stored; further ones are sent without an id. */
const MAX_PENDING = 1_000;
const MAX_BYTES = 64 * 1024;
/** Maximum messages that a client gets again. */
const MAX_AGAIN = 200;
/** Pause in storing after a failure. */
const FAILURE_PAUSE_MS = 5_000;

/** The log of sent messages in NATS. */
export function natsSentLog(nats: Nats): AddressedLog<typeof StreamSentSchema> {
  return nats.log({ event: streamSent, stream: sentStream });
}

/** Keeps messages in a log for a short time. During an outage of the log, they are sent without an id. */
export function createSentMessages(o: {
  readonly sentLog: AddressedLog<typeof StreamSentSchema>;
  readonly clock: Clock;
  readonly log: Logger;
}): SentMessages {
  let pending = 0;
  let pausedUntilMs = 0;
  const failed = (err: unknown, message: string): void => {
    pausedUntilMs = o.clock.now().getTime() + FAILURE_PAUSE_MS;
    o.log.warn({ err }, message);
  };
  return {
    async add(key, json) {
      const isPaused = o.clock.now().getTime() < pausedUntilMs;
      if (isPaused || pending >= MAX_PENDING || json.length > MAX_BYTES) return undefined;
      pending += 1;
      try {
        return `s.${await o.sentLog.append(key, { json })}`;
      } catch (error) {
        failed(error, 'messages for clients cannot be stored, in case they have to be sent again');
        return undefined;
      } finally {
        pending -= 1;
      }
    },
    async after(key, lastEventId) {
      const [, sequence] = EVENT_ID.exec(lastEventId) ?? [];
      if (sequence === undefined) return [];
      try {
        const messages = await o.sentLog.after(key, Number(sequence), MAX_AGAIN);
        return messages.map(({ sequence: at, message }) => ({ json: message.json, id: `s.${at}` }));
      } catch (error) {
        failed(error, 'messages that a client has missed cannot be read');
        return [];
      }
    },
  };
}
