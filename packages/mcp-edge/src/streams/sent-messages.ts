import { StreamSentSchema } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { AddressedLog } from '@fairlead/service-kit/nats/addressed-log';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/** A message with the id of its event. */
export interface SentMessage {
  readonly json: Uint8Array;
  readonly id: string;
}

/** Messages that were lately sent on streams, by the key of their session, for clients that have lost the connection. */
export interface SentMessages {
  /** Stores a message; the id of its event. Undefined: its client cannot get it again. Never rejects. */
  add(key: string, json: Uint8Array): Promise<string | undefined>;
  /** The messages after the event with this id, in their order. None if it is no id of these, or they cannot be read. */
  after(key: string, lastEventId: string): Promise<readonly SentMessage[]>;
}

const streamSent = defineEvent(StreamSentSchema);

/** A client that has lost its stream connects again within seconds. */
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
/** Most messages that wait until they are stored; further ones are sent without an id. */
const MAX_PENDING = 1_000;
const MAX_BYTES = 64 * 1024;
/** Most messages that a client gets again. */
const MAX_AGAIN = 200;
/** After a failure no message is stored for so long. */
const FAILURE_PAUSE_MS = 5_000;

/** The log of these messages in NATS. */
export function natsSentLog(nats: Nats): AddressedLog<typeof StreamSentSchema> {
  return nats.log({ event: streamSent, stream: sentStream });
}

/** Keeps messages in a log for a short time. While that is away, they are sent without an id. */
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
