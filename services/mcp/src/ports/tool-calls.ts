import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CallTarget } from '../domain/served-tool.ts';

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
  | { readonly isSuccess: true; /** JSON of an object. */ readonly output: Uint8Array }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** Runs tools and workflows. */
export interface ToolCalls {
  /** Throws ApiError for a call that is refused: nothing was executed. */
  execute(ctx: RequestContext, call: ToolCall): Promise<CallOutcome>;
}
