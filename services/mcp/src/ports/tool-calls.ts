import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallTarget } from '../domain/server-tool.ts';
import type { ClientChannel } from './client-channel.ts';
import type { SentAnswer } from './client-requests.ts';

/** A call of a served tool. */
export interface ToolCall {
  readonly target: CallTarget;
  /** JSON of each input, as sent. */
  readonly fields: Readonly<Record<string, Uint8Array>>;
  /** Dialect of the inputs; empty: the tool's own. */
  readonly schemaProfile: string;
  /** The toolset with which it runs; undefined: none. */
  readonly toolsetId: string | undefined;
  /** The end user whose connections are the user's own; undefined: the target names its connection. */
  readonly endUserId: string | undefined;
  /** Id of the server that got the call. */
  readonly mcpServerName: string;
}

/** The outcome of an executed call. */
export type CallOutcome =
  | { readonly kind: 'output'; /** A JSON object. */ readonly output: Uint8Array }
  | { readonly kind: 'failure'; readonly errorMessage: string }
  /** The complete result of the tool's MCP server, which may be an error. */
  | { readonly kind: 'mcpResult'; /** A JSON object. */ readonly result: Uint8Array }
  /** A JSON-RPC error of that server, for the client. */
  | { readonly kind: 'mcpError'; /** A JSON object. */ readonly error: Uint8Array };

/** Runs tools and workflows. */
export interface ToolCalls {
  /** Messages of the running tool go to the channel. Throws an ApiError if the call is refused; then nothing was executed. */
  execute(ctx: RequestContext, call: ToolCall, channel: ClientChannel): Promise<CallOutcome>;
  /**
   * Delivers the client's answer to a request of a running tool. NOT_FOUND if nothing waits for it, UNAVAILABLE if the waiting process
   * cannot be reached.
   */
  answer(ctx: RequestContext, key: string, answer: SentAnswer): Promise<void>;
}
