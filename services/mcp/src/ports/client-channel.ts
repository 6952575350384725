import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { ClientMethod, McpClient } from '../domain/mcp-client.ts';

/** A request that the service makes of a client on its own behalf. */
export interface ClientQuestion {
  /** Tells the questions of one request apart, such as `connect`. */
  readonly name: string;
  readonly method: ClientMethod;
  /** An elicitation without `mode` is a form. */
  readonly params: LazyObject;
}

/** A request that another service makes of a client. */
export interface PassedRequest {
  /** Its id at the client: names it in the client's response. */
  readonly key: string;
  readonly method: string;
  /** JSON of an object. */
  readonly params: Uint8Array;
}

/** The client's answer to a question. */
export type ClientAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** There was none in time. */
  | { readonly kind: 'none' };

/** The client of a running request. */
export interface ClientChannel {
  readonly client: McpClient;
  /** Whether messages reach the client before its response. */
  readonly isInteractive: boolean;
  /**
   * Sends a notification. Progress gets the client’s own token, and is dropped if it does not rise or the client sent none; log messages are dropped
   * below the client’s level. All are dropped if the channel is not interactive, or if the client is slow.
   */
  notify(method: string, params: LazyObject): void;
  /** Sends a request whose answer goes to the service that made it. Resolves when there is room for the next one; the channel must be interactive. */
  pass(request: PassedRequest): Promise<void>;
  /** Whether the client can be asked this now. */
  canAsk(question: Pick<ClientQuestion, 'method' | 'params'>): boolean;
  /**
   * Asks the client, which must be possible by `canAsk`. A client without a handshake is asked in the result of its request: the call throws
   * InputRequired, which no use case may catch, unless the request has brought the answer.
   */
  ask(ctx: RequestContext, question: ClientQuestion): Promise<ClientAnswer>;
}
