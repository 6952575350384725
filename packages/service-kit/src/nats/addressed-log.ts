import { create } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { decodeEvent, encodeEvent } from './events.ts';
import type { EventDefinition } from './events.ts';
import type { NatsLink } from './link.ts';
import type { StreamDefinition } from './streams.ts';
import { NatsUnavailableError } from './unavailable.ts';

/** A message of a log with its number, which grows with each message of the stream. */
interface LoggedMessage<S extends DescMessage> {
  readonly sequence: number;
  readonly message: MessageShape<S>;
}

/** Messages that a stream keeps by address, up to its maximum age and size. */
export interface AddressedLog<S extends DescMessage> {
  /** Stores a message; returns its number. Rejects with NatsUnavailableError, after which it may still be stored. */
  append(address: string, message: MessageInitShape<S>): Promise<number>;
  /**
   * The oldest messages for an address after a number, at most `limit`, in order; all messages if the stream has
   * never had that number, because it was recreated. NATS keeps no state for the read. Rejects with
   * NatsUnavailableError.
   */
  after(address: string, sequence: number, limit: number): Promise<readonly LoggedMessage<S>[]>;
}

/** Declares a log. The subject of a message is the event's subject, a dot and the address. */
export interface AddressedLogDefinition<S extends DescMessage> {
  readonly event: EventDefinition<S>;
  readonly stream: StreamDefinition;
}

const ADDRESS = /^[A-Za-z0-9_-]{1,128}$/;
const ANSWER_LIMIT_MS = 1_000;

/** The log in its stream, which the owner of the connection declares (connectNats). */
export function createAddressedLog<S extends DescMessage>(
  link: Pick<NatsLink, 'current'>,
  { event, stream: { name } }: AddressedLogDefinition<S>,
): AddressedLog<S> {
  const subjectOf = (address: string): string => {
    if (!ADDRESS.test(address)) throw new TypeError('An address has 1 to 128 letters, digits, _ or -.');
    return `${event.subject}.${address}`;
  };
  const reach = async <T>(work: (connection: NatsConnection) => Promise<T>): Promise<T> => {
    const connection = link.current();
    if (connection === undefined) throw new NatsUnavailableError('NATS is unreachable.');
    try {
      return await work(connection);
    } catch (error) {
      throw new NatsUnavailableError('NATS did not confirm the content of a log.', { cause: error });
    }
  };
  return {
    append(address, message) {
      const subject = subjectOf(address);
      const payload = encodeEvent(event, create(event.schema, message));
      return reach(async (connection) => {
        const acknowledgement = await jetstream(connection).publish(subject, payload, {
          timeout: ANSWER_LIMIT_MS,
        });
        return acknowledgement.seq;
      });
    },
    after(address, sequence, limit) {
      const subject = subjectOf(address);
      return reach(async (connection) => {
        const o = { checkAPI: false, timeout: ANSWER_LIMIT_MS };
        const { streams, direct } = await jetstreamManager(connection, o);
        const { last_seq: last } = (await streams.info(name)).state;
        const found: LoggedMessage<S>[] = [];
        let next = sequence > last ? 1 : sequence + 1;
        while (found.length < limit && next <= last) {
          const message = await direct.getMessage(name, { seq: next, next_by_subj: subject });
          if (message === null) break;
          found.push({ sequence: message.seq, message: decodeEvent(event, message.data) });
          next = message.seq + 1;
        }
        return found;
      });
    },
  };
}
