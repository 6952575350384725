import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  ClientAnsweredReplySchema,
  ClientAnsweredSchema,
} from '@fairlead/contracts/mcp/v1/client_answers_pb';
import type { ClientAnswered } from '@fairlead/contracts/mcp/v1/client_answers_pb';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { clientOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { NatsUnavailableError } from '@fairlead/service-kit/nats/unavailable';
import type { ClientAnswer } from '../ports/client-channel.ts';
import type { ClientRequests } from '../ports/client-requests.ts';

const KEY_PREFIX = 'mcpask_';
const KEY_CHARACTERS = 32;
const REPLY_LIMIT_MS = 2_000;
/** Maximum size of answers to the service's own requests, which are forms and consents. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** The caller that may answer. */
type Owner = Pick<ClientAnswered, 'accountId' | 'serverId' | 'userId'>;

interface Waiting {
  readonly owner: Owner;
  readonly resolve: (answer: ClientAnswer) => void;
}

/** Requests to clients. An answer that arrives at another replica is forwarded over core NATS to the one that waits. */
export function createClientRequests(nats: Pick<Nats, 'addressed' | 'isLive'>): ClientRequests {
  const waiting = new Map<string, Waiting>();
  const definition = { event: defineEvent(ClientAnsweredSchema), reply: ClientAnsweredReplySchema };
  const pipe = nats.addressed(definition, (address, message) => {
    take(address, message, message.answer);
    return {};
  });
  const close = (address: string): void => {
    if (waiting.delete(address)) pipe.leave(address);
  };
  /** The wrong caller learns nothing, and the request stays open. */
  const take = (address: string, sender: Owner, answer: ClientAnswered['answer']): void => {
    const request = waiting.get(address);
    if (request === undefined || answer.case === undefined || !isSame(request.owner, sender)) return;
    close(address);
    request.resolve(answerOf(answer));
  };
  return {
    async open(ctx, serverId) {
      const key = `${KEY_PREFIX}${randomBase62(KEY_CHARACTERS)}`;
      const address = addressOf(key);
      const { promise: answer, resolve } = Promise.withResolvers<ClientAnswer>();
      waiting.set(address, { owner: ownerOf(ctx, serverId), resolve });
      await pipe.take(address);
      return { key, answer, close: () => close(address) };
    },
    isOwn: (key) => key.startsWith(KEY_PREFIX),
    async answer(ctx, serverId, key, { kind, json }) {
      if (json.length > MAX_ANSWER_BYTES)
        throw validationError({ field: kind, issue: `must have at most ${MAX_ANSWER_BYTES} bytes` });
      const address = addressOf(key);
      const sender = ownerOf(ctx, serverId);
      const answer = { case: kind === 'result' ? 'resultJson' : 'errorJson', value: json } as const;
      if (waiting.has(address)) take(address, sender, answer);
      else await passOn(address, { ...sender, answer });
    },
  };

  async function passOn(
    address: string,
    message: MessageInitShape<typeof ClientAnsweredSchema>,
  ): Promise<void> {
    try {
      const reply = await pipe.ask(address, message, { timeoutMs: REPLY_LIMIT_MS });
      if (reply !== undefined || nats.isLive()) return;
    } catch (error) {
      if (!(error instanceof NatsUnavailableError)) throw error;
    }
    throw new ApiError(
      'UNAVAILABLE',
      'The request that is answered cannot be reached. Send the response again.',
    );
  }
}

function addressOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function ownerOf(ctx: RequestContext, serverId: string): Owner {
  const caller = clientOf(ctx);
  return { accountId: caller.accountId, serverId, userId: caller.kind === 'user' ? caller.userId : '' };
}

function isSame(a: Owner, b: Owner): boolean {
  return a.accountId === b.accountId && a.serverId === b.serverId && a.userId === b.userId;
}

function answerOf(answer: Exclude<ClientAnswered['answer'], { case: undefined }>): ClientAnswer {
  const json = new LazyJson(answer.value, 'response').parseObject();
  if (answer.case === 'resultJson') return { kind: 'result', result: json };
  const { code, message } = json;
  return {
    kind: 'error',
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
  };
}
