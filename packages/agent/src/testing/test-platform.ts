import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { encodeCall } from '@fairlead/agent-channel/call';
import type { AgentCall } from '@fairlead/agent-channel/call';
import { CHANNEL_PATH, INSTANCE_FORM, INSTANCE_HEADER } from '@fairlead/agent-channel/channel';
import { helloRequest, pollRequest } from '@fairlead/agent-channel/messages';
import type { AgentSettings, HelloRequest, PollRequest } from '@fairlead/agent-channel/messages';
import { onTestFinished } from 'vitest';

/** A token in the form of real ones. */
export const TOKEN = 'opa_0123456789abcdefghijkl';

/** A task in the form that is sent. */
type SentTask = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ReceivedResult {
  readonly id: string;
  readonly type: string;
  readonly body: Buffer;
}

interface OpenPoll {
  readonly request: PollRequest;
  readonly response: ServerResponse;
}

/** Replaces the platform's response to a request. Undefined: the platform responds. */
type Override = (
  path: string,
  request: IncomingMessage,
) => { readonly status: number; readonly body?: string } | undefined;

/** A server with the platform's side of the channel for one agent, as far as the agent's tests need it. */
export class TestPlatform {
  readonly hellos: HelloRequest[] = [];
  readonly polls: PollRequest[] = [];
  readonly results: ReceivedResult[] = [];
  readonly starts: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  goodbyes = 0;
  settings: AgentSettings = { parallelTasks: 2, pullPeriodSeconds: 10, logLevel: 'Debug' };
  override: Override = () => undefined;
  /** Whether hello gets a response. */
  answersHello = true;
  /** Whether tasks with effects may begin. */
  mayStart = true;
  readonly listener: RequestListener = (request, response) => {
    void this.#answer(request, response);
  };
  #open: OpenPoll | undefined;
  #queue: SentTask[] = [];
  #cancelled: string[] = [];

  /** The open poll; undefined: there is none. */
  get openPoll(): PollRequest | undefined {
    return this.#open?.request;
  }

  /** Listens on loopback until the test ends; resolves with the base address. */
  async listen(): Promise<string> {
    const server = createServer(this.listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    // The server listens on a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Sends tasks to the agent, in the open poll or the next one. */
  send(...tasks: readonly SentTask[]): void {
    this.#queue.push(...tasks);
    this.#flush();
  }

  /** Cancels tasks at the agent. */
  cancel(...ids: readonly string[]): void {
    this.#cancelled.push(...ids);
    this.#flush();
  }

  /** Ends the open poll without news. */
  endPoll(): void {
    this.#open?.response.writeHead(204).end();
    this.#open = undefined;
  }

  /** The outcome of a call; undefined: it has not arrived. */
  outcome(id: string): unknown {
    const result = this.results.find((one) => one.id === id);
    return result === undefined ? undefined : JSON.parse(result.body.toString());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(CHANNEL_PATH.length);
    this.headers.push(request.headers);
    const override = this.override(path, request);
    if (override !== undefined) {
      request.resume();
      response.writeHead(override.status, { connection: 'close' }).end(override.body);
      return;
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      refuse(response, 401, 'UNAUTHORIZED');
      return;
    }
    if (!INSTANCE_FORM.test(String(request.headers[INSTANCE_HEADER]))) {
      refuse(response, 400, 'VALIDATION_ERROR');
      return;
    }
    if (path === '/whoami') {
      reply(response, { agentId: 7, name: 'Lab', applicationSlug: 'onprem-http' });
      return;
    }
    const [, id = '', verb] = /^\/tasks\/([^/]+)\/(start|result)$/.exec(path) ?? [];
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    if (path === '/hello') {
      this.hellos.push(helloRequest.parse(JSON.parse(body.toString())));
      if (!this.answersHello) return;
      reply(response, { agentId: 7, name: 'Lab', applicationSlug: 'onprem-http', settings: this.settings });
    } else if (path === '/poll') {
      this.endPoll();
      const poll = pollRequest.parse(JSON.parse(body.toString()));
      this.polls.push(poll);
      this.#open = { request: poll, response };
      response.on('close', () => {
        if (this.#open?.response === response) this.#open = undefined;
      });
      this.#flush();
    } else if (path === '/goodbye') {
      this.goodbyes += 1;
      response.writeHead(204).end();
    } else if (verb === 'start') {
      this.starts.push(id);
      if (this.mayStart) response.writeHead(204).end();
      else refuse(response, 410, 'GONE');
    } else {
      this.results.push({ id, type: String(request.headers['content-type']), body });
      response.writeHead(204).end();
    }
  }

  #flush(): void {
    if (this.#open === undefined) return;
    const { request, response } = this.#open;
    let free = request.freeSlots;
    const tasks = this.#queue.filter((task) => task['kind'] !== 'call' || free-- > 0);
    if (tasks.length === 0 && this.#cancelled.length === 0) return;
    this.#queue = this.#queue.filter((task) => !tasks.includes(task));
    reply(response, { settings: this.settings, tasks, cancelledTaskIds: this.#cancelled.splice(0) });
    this.#open = undefined;
  }
}

/** A task to make a call. */
export function callTask(id: string, call: AgentCall, o: Partial<Record<string, unknown>> = {}): SentTask {
  const sent: unknown = JSON.parse(encodeCall(call).toString());
  return { id, kind: 'call', remainingMs: 60_000, hasEffects: false, release: '9.9.9', call: sent, ...o };
}

/** A task of another kind. */
export function plainTask(id: string, kind: 'logs' | 'settings' | 'later', o: object = {}): SentTask {
  return { id, kind, remainingMs: 60_000, hasEffects: false, ...o };
}

function reply(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Responds with the platform's refusal. */
export function refusal(errorCode: string): string {
  return JSON.stringify({ errorCode, message: `Refused: ${errorCode}.`, requestId: 'r', timestamp: '' });
}

function refuse(response: ServerResponse, status: number, errorCode: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    .end(refusal(errorCode));
}
