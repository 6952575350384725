import type { JsonObject } from '@bufbuild/protobuf';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { Timers } from '@fairlead/service-kit/timers';
import { declares, isLogged } from '../domain/mcp-client.ts';
import type { McpClient } from '../domain/mcp-client.ts';
import { InputRequired } from './input-required.ts';
import type { ClientAnswer, ClientChannel, ClientQuestion, ServiceRequest } from '../ports/client-channel.ts';
import type { ClientRequests } from '../ports/client-requests.ts';
import { clientNotification, clientRequest } from './json-rpc.ts';
import type { Outbox } from './outbox.ts';
import { Progress } from './progress.ts';

/** Longest pause between messages to a client with a progress token. */
const PROGRESS_INTERVAL_MS = 10_000;
/** Generous, because a person may have to sign in before the client answers. */
const ANSWER_LIMIT_MS = 300_000;

const PROGRESS = 'notifications/progress';
const LOG_MESSAGE = 'notifications/message';

export interface RequestChannelDeps {
  readonly clientRequests: Pick<ClientRequests, 'open'>;
  readonly clock: Clock;
  readonly timers: Timers;
}

interface ChannelOptions {
  readonly client: McpClient;
  readonly serverId: string;
  /** Gets the messages for the client; undefined: nothing can be sent before the response. */
  readonly outbox: Outbox | undefined;
  /** Answers that a request without a handshake brings, by name of the question. */
  readonly answers?: Readonly<Record<string, JsonObject>>;
}

/** Creates the channel to the client of one request, valid while the request runs. */
export class RequestChannel implements ClientChannel {
  readonly client: McpClient;
  readonly #deps: RequestChannelDeps;
  readonly #serverId: string;
  readonly #outbox: Outbox | undefined;
  readonly #answers: Readonly<Record<string, JsonObject>>;
  readonly #progress = new Progress();
  readonly #openedAtMs: number;
  #reportedAtMs: number;
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(deps: RequestChannelDeps, { client, serverId, outbox, answers = {} }: ChannelOptions) {
    this.#deps = deps;
    this.client = client;
    this.#serverId = serverId;
    this.#outbox = outbox;
    this.#answers = answers;
    this.#openedAtMs = this.#nowMs();
    this.#reportedAtMs = this.#openedAtMs;
    if (outbox !== undefined && client.progressToken !== undefined) this.#awaitReport(PROGRESS_INTERVAL_MS);
  }

  get isInteractive(): boolean {
    return this.#outbox !== undefined;
  }

  notify(method: string, params: LazyObject): void {
    if (method === PROGRESS) {
      if (this.client.progressToken !== undefined && this.#progress.accept(params)) this.#report(params);
    } else if (method !== LOG_MESSAGE || isLogged(textOf(params['level']), this.client.logLevel)) {
      this.#send(method, params);
    }
  }

  async pass({ key, method, params }: ServiceRequest): Promise<void> {
    await this.#required().push(clientRequest(key, method, new LazyJson(params)));
  }

  canAsk({ method, params }: Pick<ClientQuestion, 'method' | 'params'>): boolean {
    if (this.#outbox === undefined && !this.client.isStateless) return false;
    return declares(this.client, method, params['mode'] === 'url' ? 'url' : 'form');
  }

  async ask(ctx: RequestContext, question: ClientQuestion): Promise<ClientAnswer> {
    if (!this.client.isStateless) return this.#request(ctx, question);
    const result = this.#answers[question.name];
    if (result === undefined) throw new InputRequired(question);
    return { kind: 'result', result };
  }

  /** Closes the channel: nothing more is sent. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #request(ctx: RequestContext, { method, params }: ClientQuestion): Promise<ClientAnswer> {
    const outbox = this.#required();
    const request = await this.#deps.clientRequests.open(ctx, this.#serverId);
    const { promise: end, resolve } = Promise.withResolvers<ClientAnswer>();
    const unanswered = (): void => resolve({ kind: 'none' });
    const timer = this.#deps.timers.after(ANSWER_LIMIT_MS, unanswered);
    ctx.signal.addEventListener('abort', unanswered);
    try {
      await outbox.push(clientRequest(request.key, method, params));
      const answer = await Promise.race([request.answer, end]);
      ctx.signal.throwIfAborted();
      if (answer.kind === 'none') this.#send('notifications/cancelled', { requestId: request.key });
      return answer;
    } finally {
      request.close();
      timer.cancel();
      ctx.signal.removeEventListener('abort', unanswered);
    }
  }

  #awaitReport(afterMs: number): void {
    this.#timer = this.#deps.timers.after(afterMs, () => {
      const leftMs = this.#reportedAtMs + PROGRESS_INTERVAL_MS - this.#nowMs();
      if (leftMs <= 0) this.#report(this.#progress.repeat(this.#nowMs() - this.#openedAtMs));
      this.#awaitReport(leftMs <= 0 ? PROGRESS_INTERVAL_MS : leftMs);
    });
  }

  #report(params: LazyObject): void {
    const { progressToken } = this.client;
    if (progressToken === undefined) return;
    this.#reportedAtMs = this.#nowMs();
    this.#send(PROGRESS, { ...params, progressToken });
  }

  #send(method: string, params: LazyObject): void {
    if (!this.#isClosed) this.#outbox?.offer(clientNotification(method, params));
  }

  #required(): Outbox {
    if (this.#outbox === undefined) throw new Error('The client is sent nothing before its response.');
    return this.#outbox;
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime();
  }
}

function textOf(value: LazyObject[string] | undefined): unknown {
  return value instanceof LazyJson ? value.parse() : value;
}
