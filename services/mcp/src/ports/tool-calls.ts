import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallTarget } from '../domain/served-tool.ts';
import type { ClientChannel } from './client-channel.ts';
import type { SentAnswer } from './client-requests.ts';

/** A call of a served tool. */
export interface ToolCall {
  readonly target: CallTarget;
  /** JSON of each input, as it was sent. */
  readonly fields: Readonly<Record<string, Uint8Array>>;
  /** The dialect of the inputs; empty: the tool's own. */
  readonly schemaProfile: string;
  /** The toolset that it runs with; undefined: none. */
  readonly toolsetId: string | undefined;
  /** The user's own connections are those of this end user; undefined: the target names its connection. */
  readonly endUserId: string | undefined;
  /** The server that it came through. */
  readonly mcpServerName: string;
}

/** The outcome of a call that was made. */
export type CallOutcome =
  | { readonly kind: 'output'; /** JSON of an object. */ readonly output: Uint8Array }
  | { readonly kind: 'failure'; readonly errorMessage: string }
  /** The result of the MCP server that the tool comes from, which may be an error. */
  | { readonly kind: 'mcpResult'; /** JSON of an object. */ readonly result: Uint8Array }
  /** The JSON-RPC error of that server, which the client has to see. */
  | { readonly kind: 'mcpError'; /** JSON of an object. */ readonly error: Uint8Array };

/** Runs tools and workflows. */
export interface ToolCalls {
  /** Messages of the running tool go to the channel. Throws ApiError for a call that is refused: nothing was executed. */
  execute(ctx: RequestContext, call: ToolCall, channel: ClientChannel): Promise<CallOutcome>;
  /** Passes on the client's answer to a request of a running tool. NOT_FOUND if nobody waits for it, UNAVAILABLE if the one who does cannot be reached. */
  answer(ctx: RequestContext, key: string, answer: SentAnswer): Promise<void>;
}
