import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  ClientRequestAnsweredReplySchema,
  ClientRequestAnsweredSchema,
} from '@fairlead/contracts/tools/v1/client_answers_pb';
import type { ClientRequestAnswered } from '@fairlead/contracts/tools/v1/client_answers_pb';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { NatsUnavailableError } from '@fairlead/service-kit/nats/unavailable';
import type { ClientAnswer, ClientRequests } from '../ports/client-requests.ts';
import { OpenRequests, replicaOf } from './open-requests.ts';

const definition = {
  event: defineEvent(ClientRequestAnsweredSchema),
  reply: ClientRequestAnsweredReplySchema,
};

/** Largest answer in bytes, for any replica; NATS accepts a little more. Source: docs/limits.md. */
const MAX_ANSWER_BYTES = 1_000_000;
/** Timeout of the reply of another replica, which replies at once. */
const REPLY_LIMIT_MS = 5_000;

/** Requests of calls that run in this replica, and a route to the other replicas' requests. */
export function createClientRequests(nats: Pick<Nats, 'addressed' | 'isLive'>): ClientRequests {
  const own = new OpenRequests();
  const replicas = nats.addressed(definition, (_address, message) => ({
    isTaken: own.take(message.caller, message.key, answerOf(message)),
  }));
  // Resolves once NATS is reachable; without NATS no other replica is.
  void replicas.take(own.replica);

  async function isTakenBy(
    replica: string,
    caller: string,
    key: string,
    answer: ClientAnswer,
  ): Promise<boolean> {
    if (replica === own.replica) return own.take(caller, key, answer);
    const message = { key, caller, answer: toAnswer(answer) };
    try {
      const reply = await replicas.ask(replica, message, { timeoutMs: REPLY_LIMIT_MS });
      if (reply === undefined && !nats.isLive()) throw unreachable();
      return reply?.isTaken === true;
    } catch (error) {
      throw error instanceof NatsUnavailableError ? unreachable(error) : error;
    }
  }

  return {
    open: (caller, signal) => own.open(caller, signal),
    async answer(caller, key, answer) {
      const [field, json] = 'result' in answer ? ['result', answer.result] : ['error', answer.error];
      if (json.bytes.length > MAX_ANSWER_BYTES)
        throw validationError({ field, issue: `must be at most ${MAX_ANSWER_BYTES} bytes of JSON` });
      json.parseObject();
      const replica = replicaOf(key);
      if (replica === undefined || !(await isTakenBy(replica, caller, key, answer)))
        throw new ApiError('NOT_FOUND', 'No call waits for an answer to that request.');
    },
  };
}

function toAnswer(
  answer: ClientAnswer,
): NonNullable<MessageInitShape<typeof ClientRequestAnsweredSchema>['answer']> {
  return 'result' in answer
    ? { case: 'resultJson', value: answer.result.bytes }
    : { case: 'errorJson', value: answer.error.bytes };
}

function answerOf({ answer }: ClientRequestAnswered): ClientAnswer {
  const json = LazyJson.object(answer.value ?? new Uint8Array());
  return answer.case === 'errorJson' ? { error: json } : { result: json };
}

function unreachable(cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'The call that waits for the answer cannot be reached. Try again.', {
    cause,
  });
}
