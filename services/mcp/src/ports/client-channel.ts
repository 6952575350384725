import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ClientMethod, McpClient } from '../domain/mcp-client.ts';

/** A request of the service itself to a client. */
export interface ClientQuestion {
  /** Distinguishes the questions within one request, such as `connect`. */
  readonly name: string;
  readonly method: ClientMethod;
  /** An elicitation without `mode` is a form. */
  readonly params: LazyObject;
}

/** A request of another service to a client. */
export interface ServiceRequest {
  /** The request's id for the client, which the response repeats. */
  readonly key: string;
  readonly method: string;
  /** A JSON object. */
  readonly params: Uint8Array;
}

/** The client's answer to a question. */
export type ClientAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** No answer arrived in time. */
  | { readonly kind: 'none' };

/** The client of a running request. */
export interface ClientChannel {
  readonly client: McpClient;
  /** Whether messages can reach the client before its response. */
  readonly isInteractive: boolean;
  /**
   * Sends a notification. Progress gets the client’s own token, and is dropped if it does not increase or the client sent no token; log
   * messages below the client’s level are dropped. Everything is dropped if the channel is not interactive, or the client is too slow.
   */
  notify(method: string, params: LazyObject): void;
  /**
   * Sends a request whose answer goes to the service that made it. Resolves when there is room for the next one; requires an interactive
   * channel.
   */
  pass(request: ServiceRequest): Promise<void>;
  /** Whether the client can be asked this now. */
  canAsk(question: Pick<ClientQuestion, 'method' | 'params'>): boolean;
  /**
   * Asks the client; `canAsk` must be true. A client without a handshake is asked in the result of its request: unless the request has
   * brought the answer, this throws InputRequired, which no use case may catch.
   */
  ask(ctx: RequestContext, question: ClientQuestion): Promise<ClientAnswer>;
}
