import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { NoRespondersError, RequestError } from '@nats-io/transport-node';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Logger } from '../telemetry/logger.ts';
import { decodeEvent, encodeEvent } from './events.ts';
import type { EventDefinition } from './events.ts';
import type { NatsLink } from './link.ts';
import { NatsUnavailableError } from './unavailable.ts';

/** Requests to the process that currently has an address, over core NATS. */
export interface AddressedRequests<Q extends DescMessage, A extends DescMessage> {
  /**
   * Subscribes to requests for the address. Resolves when NATS has the subscription; at once while NATS is
   * unreachable, which then gets it with the next connection.
   */
  take(address: string): Promise<void>;
  /** Unsubscribes from requests for the address. */
  leave(address: string): void;
  /**
   * Sends a request and returns the answer. Undefined: no process has the address, or NATS is unreachable, so nobody
   * received the request. Rejects with NatsUnavailableError if no answer arrives within `timeoutMs`; the request may
   * still be handled.
   */
  ask(
    address: string,
    message: MessageInitShape<Q>,
    o: { readonly timeoutMs: number },
  ): Promise<MessageShape<A> | undefined>;
  /** Maximum bytes of an encoded message. */
  maxBytes(): number;
}

/** Declares requests. The subject of a request is the event's subject, a dot and the address. */
export interface AddressedDefinition<Q extends DescMessage, A extends DescMessage> {
  readonly event: EventDefinition<Q>;
  readonly reply: A;
}

const ADDRESS = /^[A-Za-z0-9_-]{1,128}$/;
const FLUSH_LIMIT_MS = 1_000;
/** Message limit of a NATS server that states none. */
const DEFAULT_MAX_BYTES = 1024 * 1024;

/** Sends and answers addressed requests. `answer` must be quick, because the next request waits for it. */
export function createAddressedRequests<Q extends DescMessage, A extends DescMessage>(o: {
  readonly link: Pick<NatsLink, 'current' | 'onConnected'>;
  readonly definition: AddressedDefinition<Q, A>;
  readonly answer: (address: string, message: MessageShape<Q>) => MessageInitShape<A>;
  readonly log: Logger;
}): AddressedRequests<Q, A> {
  const { event, reply } = o.definition;
  const prefix = `${event.subject}.`;
  /** Subscriptions by address; undefined: NATS does not have it yet. */
  const taken = new Map<string, Subscription | undefined>();

  // One callback for all addresses, so that each costs only its subscription.
  const callback = (error: Error | null, request: Msg): void => {
    if (error !== null) {
      o.log.error({ err: error, subject: event.subject }, 'NATS refuses a subscription');
      return;
    }
    try {
      const message = o.answer(request.subject.slice(prefix.length), decodeEvent(event, request.data));
      request.respond(toBinary(reply, create(reply, message)));
    } catch (failure) {
      o.log.error({ err: failure, subject: event.subject }, 'could not handle a request');
    }
  };
  const subscribe = (connection: NatsConnection, address: string): void => {
    taken.set(address, connection.subscribe(prefix + address, { callback }));
  };

  o.link.onConnected((connection, lost) => {
    for (const address of taken.keys()) subscribe(connection, address);
    lost.addEventListener(
      'abort',
      () => {
        for (const [address, subscription] of taken) {
          subscription?.unsubscribe();
          taken.set(address, undefined);
        }
      },
      { once: true },
    );
  });

  return {
    async take(address) {
      if (!ADDRESS.test(address)) throw new TypeError('An address has 1 to 128 letters, digits, _ or -.');
      if (taken.has(address)) return;
      const connection = o.link.current();
      taken.set(address, undefined);
      if (connection === undefined) return;
      subscribe(connection, address);
      await flush(connection);
    },
    leave(address) {
      taken.get(address)?.unsubscribe();
      taken.delete(address);
    },
    async ask(address, message, { timeoutMs }) {
      const connection = o.link.current();
      if (connection === undefined) return undefined;
      const payload = encodeEvent(event, create(event.schema, message));
      try {
        const { data } = await connection.request(prefix + address, payload, { timeout: timeoutMs });
        return fromBinary(reply, data);
      } catch (error) {
        if (hasNoTaker(error)) return undefined;
        throw new NatsUnavailableError('A request over NATS was not answered.', { cause: error });
      }
    },
    maxBytes: () => o.link.current()?.info?.max_payload ?? DEFAULT_MAX_BYTES,
  };
}

/** Whether NATS has reported that a request's subject has no subscriber. */
export function hasNoTaker(error: unknown): boolean {
  return error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}

/** Resolves when NATS has received everything sent so far, or after a short time. */
async function flush(connection: NatsConnection): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, FLUSH_LIMIT_MS);
  try {
    await Promise.race([connection.flush().catch(() => undefined), timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
