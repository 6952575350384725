import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CHANNEL_PATH, INSTANCE_HEADER, MAX_POLL_MS } from '@fairlead/agent-channel/channel';
import { helloResponse } from '@fairlead/agent-channel/messages';
import type { HelloRequest, PollRequest } from '@fairlead/agent-channel/messages';
import { readPollAnswer } from '@fairlead/agent-channel/poll-answer';
import type { PollAnswer } from '@fairlead/agent-channel/poll-answer';
import type { Secret } from '@fairlead/service-kit/secret';
import { createTimedSignal } from '@fairlead/service-kit/timed-signal';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { ReplacedError, TokenRefusedError, UnavailableError } from './channel-errors.ts';

const REQUEST_TIMEOUT_MS = 15_000;
/** Margin for the response to a poll after its wait, for slow proxies. */
const POLL_TIMEOUT_MS = MAX_POLL_MS + REQUEST_TIMEOUT_MS;
/** Maximum bytes: tasks for a hundred slots, with their definitions. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const INSTANCE_BYTES = 16;

/**
 * The result of delivering a task's result. `ended`: nobody waits for it any more. `refused`: its form or size is not
 * accepted.
 */
export type Delivery = 'delivered' | 'ended' | 'refused';

/** The result of a task: an outcome in JSON, or an archive. */
export type ResultBody =
  | { readonly type: 'application/json'; readonly bytes: Uint8Array }
  | { readonly type: 'application/zip'; readonly stream: AsyncIterable<Uint8Array> };

/**
 * One process's requests to the platform. They reject with TokenRefusedError or ReplacedError, with UnavailableError
 * for any other failure, and with the signal's reason when it aborts.
 */
export interface AgentChannel {
  /** Makes this process the agent's current one. */
  hello(request: HelloRequest, signal: AbortSignal): Promise<z.infer<typeof helloResponse>>;
  /** Polls for news. Undefined: there are none. */
  poll(request: PollRequest, signal: AbortSignal): Promise<PollAnswer | undefined>;
  /** Asks whether a task with effects may begin. */
  start(taskId: string, signal: AbortSignal): Promise<boolean>;
  deliver(taskId: string, body: ResultBody, signal: AbortSignal): Promise<Delivery>;
  /** Announces that this process ends. */
  goodbye(signal: AbortSignal): Promise<void>;
}

const envelope = z.object({ errorCode: z.string(), message: z.string() });

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The INSTANCE_HEADER value of a new process. */
export function randomInstance(): string {
  return randomBytes(INSTANCE_BYTES).toString('base64url');
}

/** Creates the channel of a new process. */
export function createAgentChannel(o: {
  /** Base address of the platform. */
  readonly url: string;
  readonly token: Secret;
  readonly userAgent: string;
  readonly transport: Dispatcher;
}): AgentChannel {
  const { origin, pathname } = new URL(o.url);
  const basePath = pathname.replace(/\/$/, '') + CHANNEL_PATH;
  const headers = {
    authorization: `Bearer ${o.token.reveal()}`,
    'user-agent': o.userAgent,
    [INSTANCE_HEADER]: randomInstance(),
  };

  async function send(
    method: 'POST' | 'PUT',
    path: string,
    body: ResultBody | undefined,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Answer> {
    const timed = createTimedSignal(signal, timeoutMs);
    try {
      const response = await o.transport.request({
        origin,
        path: basePath + path,
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
        body:
          body === undefined
            ? null
            : 'bytes' in body
              ? body.bytes
              : Readable.from(body.stream, { objectMode: false }),
        signal: timed.signal,
      });
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        if (!(chunk instanceof Uint8Array)) continue;
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new Error('The answer is too large.');
        chunks.push(chunk);
      }
      return { status: response.statusCode, bytes: Buffer.concat(chunks) };
    } catch (error) {
      signal.throwIfAborted();
      if (timed.isTimedOut())
        throw new UnavailableError(`no answer within ${timeoutMs / 1_000} s`, { cause: error });
      throw new UnavailableError('the request failed', { cause: error });
    } finally {
      timed.end();
    }
  }

  /** The response, if it has one of these statuses. A proxy on the way may refuse too; only the platform's own refusals count. */
  async function expecting(statuses: readonly number[], sending: Promise<Answer>): Promise<Answer> {
    const answer = await sending;
    const refusal = refusalOf(answer);
    const isOwn = answer.status < 300 || refusal !== undefined;
    if (statuses.includes(answer.status) && isOwn) return answer;
    if (refusal !== undefined && answer.status === 401) throw new TokenRefusedError(refusal.message);
    if (refusal?.errorCode === 'AGENT_REPLACED') throw new ReplacedError(refusal.message);
    const words = refusal === undefined ? '' : `: ${refusal.message}`;
    throw new UnavailableError(`the answer has status ${answer.status}${words}`);
  }

  const json = (value: object): ResultBody => ({
    type: 'application/json',
    bytes: Buffer.from(JSON.stringify(value)),
  });
  const read = <T>(parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      throw new UnavailableError('the response is not from the platform', { cause: error });
    }
  };

  return {
    async hello(request, signal) {
      const { bytes } = await expecting(
        [200],
        send('POST', '/hello', json(request), signal, REQUEST_TIMEOUT_MS),
      );
      return read(() => helloResponse.parse(JSON.parse(bytes.toString())));
    },
    async poll(request, signal) {
      const { status, bytes } = await expecting(
        [200, 204],
        send('POST', '/poll', json(request), signal, POLL_TIMEOUT_MS),
      );
      return status === 204 ? undefined : read(() => readPollAnswer(bytes));
    },
    async start(taskId, signal) {
      const path = `/tasks/${encodeURIComponent(taskId)}/start`;
      const { status } = await expecting(
        [204, 404, 410],
        send('POST', path, undefined, signal, REQUEST_TIMEOUT_MS),
      );
      return status === 204;
    },
    async deliver(taskId, body, signal) {
      const path = `/tasks/${encodeURIComponent(taskId)}/result`;
      // Sending an archive may take as long as its task.
      const timeoutMs = body.type === 'application/zip' ? 2 ** 31 - 1 : 2 * REQUEST_TIMEOUT_MS;
      const { status } = await expecting(
        [204, 400, 404, 410, 413, 415],
        send('PUT', path, body, signal, timeoutMs),
      );
      if (status === 204) return 'delivered';
      return status === 404 || status === 410 ? 'ended' : 'refused';
    },
    async goodbye(signal) {
      await expecting([204], send('POST', '/goodbye', undefined, signal, REQUEST_TIMEOUT_MS));
    },
  };
}

function refusalOf({ status, bytes }: Answer): z.infer<typeof envelope> | undefined {
  if (status < 400) return undefined;
  try {
    return envelope.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
