import { setTimeout as delay } from 'node:timers/promises';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import type { ExampleRequest } from '@fairlead/rest-kit/openapi/examples';
import type { DevStack } from '../../setup/dev-stack.ts';

/** A sent example and its response. */
export interface Exchange {
  readonly request: ExampleRequest;
  readonly status: number;
  /** Parsed if it is JSON, otherwise text; undefined without content. */
  readonly body: unknown;
}

// Plans read responses of any shape; the test checks the schemas.
export type Json = any;

/** Sends one request to the API. */
export type Send = (
  method: string,
  path: string,
  o: {
    readonly apiKey: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly raw?: string;
  },
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;

/** The environment of a run. */
export interface Surroundings {
  readonly stack: DevStack;
  /** Address of a server that accepts events. */
  readonly receiverUrl: string;
  /** Suffix for names that must be unique in the installation; empty on a fresh one. */
  readonly mark: string;
  readonly send: Send;
}

/** A run of the plan: it sends one example per operation, in an order in which each finds the records that it needs. */
export class PlanRun {
  readonly surroundings: Surroundings;
  readonly exchanges = new Map<string, Exchange>();
  /** Recorded error envelopes, by code. */
  readonly errors = new Map<string, Json>();

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  /** Sends the example of an operation, which must succeed; returns the response's body. */
  async example(operationId: string, request: ExampleRequest = {}): Promise<Json> {
    const { status, body } = await this.#send(operationId, request);
    const route = routeOf(operationId);
    if (status !== route.status)
      throw new Error(`The example of ${operationId} is answered with ${status}: ${JSON.stringify(body)}`);
    if (this.exchanges.has(operationId)) throw new Error(`${operationId} has two examples.`);
    this.exchanges.set(operationId, { request, status, body });
    return body;
  }

  /** Sends a request that is refused with this code, as the error's example. */
  async refusal(
    errorCode: string,
    operationId: string,
    request: ExampleRequest = {},
    o: { readonly isAnonymous?: boolean } = {},
  ): Promise<void> {
    const { body } = await this.#send(operationId, request, o);
    if (body?.errorCode !== errorCode)
      throw new Error(`The example of ${errorCode} is answered with ${JSON.stringify(body)}`);
    this.errors.set(errorCode, body);
  }

  /** Calls an operation that prepares an example; returns the response's body, whatever its status. */
  async call(operationId: string, request: ExampleRequest = {}): Promise<Json> {
    return (await this.#send(operationId, request)).body;
  }

  /** Repeats a read until the result is complete. */
  async until(read: () => Promise<Json>, isComplete: (body: Json) => boolean): Promise<void> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const body: Json = await read();
      if (isComplete(body)) return;
      if (Date.now() > deadline) throw new Error(`Waited in vain; last read: ${JSON.stringify(body)}`);
      await delay(100);
    }
  }

  async #send(
    operationId: string,
    request: ExampleRequest,
    { isAnonymous = false } = {},
  ): Promise<{ status: number; body: Json }> {
    const { stack, send } = this.surroundings;
    const route = routeOf(operationId);
    const ownKey = route.auth === 'operator' ? stack.operatorKey : stack.account.apiKey;
    const answer = await send(route.method.toUpperCase(), pathOf(route.path, request), {
      apiKey: isAnonymous || route.auth === 'anonymous' ? null : ownKey,
      ...contentOf(request),
    });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? JSON.parse(answer.text) : answer.text === '' ? undefined : answer.text;
    return { status: answer.status, body };
  }
}

type ExampleRoute = (typeof routeTable)[number];

function routeOf(operationId: string): ExampleRoute {
  const route = routeTable.find((each) => each.operationId === operationId);
  if (route === undefined) throw new Error(`There is no operation ${operationId}.`);
  return route;
}

function pathOf(template: string, { params = {}, query = {} }: ExampleRequest): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const members = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return members.length === 0 ? path : `${path}?${new URLSearchParams(members).toString()}`;
}

function contentOf({ body, content }: ExampleRequest): { headers: Record<string, string>; raw?: string } {
  if (content !== undefined) return { headers: { 'content-type': content.type }, raw: content.text };
  if (body === undefined) return { headers: {} };
  return { headers: { 'content-type': 'application/json' }, raw: JSON.stringify(body) };
}
