import { randomBytes } from 'node:crypto';
import { CHANNEL_PATH, INSTANCE_HEADER } from '../channel.ts';
import type { HelloRequest } from '../messages.ts';
import { readPollAnswer } from '../poll-answer.ts';
import type { AgentTask, PollAnswer } from '../poll-answer.ts';

/** A process of an agent, without the program: it sends the requests that a test chooses. */
export interface TestAgent {
  readonly instance: string;
  /** Sends one request of the channel. */
  send(method: string, path: string, o?: SendOptions): Promise<Response>;
  hello(said?: Partial<HelloRequest>): Promise<Response>;
  /** Polls once; undefined for 204. Throws for any other status but 200. */
  poll(o?: Partial<PollBody>): Promise<PollAnswer | undefined>;
  /** Polls until it has a task. */
  take(o?: Partial<PollBody>): Promise<AgentTask>;
  start(taskId: string): Promise<number>;
  /** Delivers a result, and returns the status. */
  deliver(taskId: string, result: unknown): Promise<number>;
}

interface PollBody {
  readonly freeSlots: number;
  readonly taskIds: readonly string[];
}

interface SendOptions {
  readonly json?: unknown;
  readonly body?: ReadableStream | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const INSTANCE_BYTES = 16;
const NO_CONTENT = 204;

/** A new process with this token. `headers` creates more headers for each request. */
export function testAgent(o: {
  readonly url: string;
  readonly token: string;
  readonly headers?: () => Readonly<Record<string, string>>;
  /** The process's id; default: a new one. A process may reach the platform at several addresses. */
  readonly instance?: string;
}): TestAgent {
  const instance = o.instance ?? randomBytes(INSTANCE_BYTES).toString('base64url');
  const agent: TestAgent = {
    instance,
    send: (method, path, { json, body, headers, signal } = {}) =>
      fetch(`${o.url}${CHANNEL_PATH}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${o.token}`,
          [INSTANCE_HEADER]: instance,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...o.headers?.(),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        // fetch requires `duplex` for a body that is a stream.
        ...(body !== undefined && { body, duplex: 'half' }),
        ...(signal && { signal }),
      }),
    hello: (said = {}) =>
      agent.send('POST', '/hello', {
        json: { version: '0.1.0', platform: 'linux-x64', profiles: [], ...said },
      }),
    async poll(polled = {}) {
      const answer = await agent.send('POST', '/poll', { json: { freeSlots: 10, taskIds: [], ...polled } });
      if (answer.status === NO_CONTENT) return undefined;
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`The poll was answered with ${answer.status}: ${text}`);
      return readPollAnswer(Buffer.from(text));
    },
    async take(polled) {
      for (;;) {
        const [task] = (await agent.poll(polled))?.tasks ?? [];
        if (task !== undefined) return task;
      }
    },
    start: async (id) => (await agent.send('POST', `/tasks/${id}/start`)).status,
    deliver: async (id, result) => (await agent.send('PUT', `/tasks/${id}/result`, { json: result })).status,
  };
  return agent;
}
