import {
  AnswerAddressedReplySchema,
  AnswerAddressedSchema,
  StreamAddressedReplySchema,
  StreamAddressedSchema,
} from '@fairlead/contracts/gateway/v1/client_streams_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { OpenAnswerPipe } from '../interaction/resumable-answers.ts';
import type { OpenPipe } from './stream-hub.ts';

/** Access to the streams that other replicas hold. */
export function natsPipe(nats: Nats): OpenPipe {
  const definition = { event: defineEvent(StreamAddressedSchema), reply: StreamAddressedReplySchema };
  return (answer) => nats.addressed(definition, answer);
}

/** Access to the answers that other replicas keep. */
export function natsAnswerPipe(nats: Nats): OpenAnswerPipe {
  const definition = { event: defineEvent(AnswerAddressedSchema), reply: AnswerAddressedReplySchema };
  return (resume) =>
    nats.addressed(definition, (address, request) => {
      resume(address, request);
      return {};
    });
}
