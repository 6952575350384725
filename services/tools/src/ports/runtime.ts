import type { CallOptions, Preview, ToolCall, ToolOutcome } from '@fairlead/connector-runtime/call';

/** Calls vendors. */
export interface Runtime {
  execute(call: ToolCall, options: CallOptions): Promise<ToolOutcome>;
  /** Returns the request that `execute` would send. Sends nothing. */
  preview(call: ToolCall): Preview;
}
