import { fromBinary, getOption, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { subject as subjectOption } from '@fairlead/contracts/common/v1/event_pb';
import { headers } from '@nats-io/transport-node';
import type { MsgHdrs } from '@nats-io/transport-node';

/** A kind of message that services publish to each other. */
export interface EventDefinition<S extends DescMessage = DescMessage> {
  readonly schema: S;
  /** `fairlead.<domain>.<entity>.<past-tense>.v<version>` */
  readonly subject: string;
}

/** Metadata of a message; absent if no request caused it. */
export interface EventOrigin {
  /** The request that caused it. */
  readonly requestId?: string | undefined;
  /** W3C trace context of the span that caused it. */
  readonly traceparent?: string | undefined;
  /** Names of the services whose canary serves that request; absent: not chosen yet. */
  readonly canaries?: readonly string[] | undefined;
}

const SUBJECT = /^fairlead\.[a-z-]+\.[a-z-]+\.[a-z-]+\.v[1-9]\d*$/;
const REQUEST_ID = 'x-request-id';
const TRACEPARENT = 'traceparent';
const CANARIES = 'x-fairlead-canaries';

/** Declares the event with this message schema, whose proto file declares the subject. */
export function defineEvent<S extends DescMessage>(schema: S): EventDefinition<S> {
  const subject = getOption(schema, subjectOption);
  if (!SUBJECT.test(subject))
    throw new TypeError(
      `${schema.typeName} has no subject of the form fairlead.<domain>.<entity>.<past-tense>.v<version>.`,
    );
  return { schema, subject };
}

export function encodeEvent<S extends DescMessage>(
  event: EventDefinition<S>,
  message: MessageShape<S>,
): Uint8Array {
  return toBinary(event.schema, message);
}

/** Decodes a payload; throws if it is invalid. */
export function decodeEvent<S extends DescMessage>(
  event: EventDefinition<S>,
  payload: Uint8Array,
): MessageShape<S> {
  return fromBinary(event.schema, payload);
}

/** Encodes an origin as headers. */
export function originHeaders({ requestId, traceparent, canaries }: EventOrigin): MsgHdrs {
  const carried = headers();
  if (requestId !== undefined) carried.set(REQUEST_ID, requestId);
  if (traceparent !== undefined) carried.set(TRACEPARENT, traceparent);
  if (canaries !== undefined) carried.set(CANARIES, canaries.join());
  return carried;
}

/** Decodes an origin from headers. */
export function originOf(carried: MsgHdrs | undefined): EventOrigin {
  return {
    requestId: carried?.get(REQUEST_ID) || undefined,
    traceparent: carried?.get(TRACEPARENT) || undefined,
    canaries: carried?.has(CANARIES) === true ? namesIn(carried.get(CANARIES)) : undefined,
  };
}

function namesIn(list: string): readonly string[] {
  return list === '' ? [] : list.split(',');
}
