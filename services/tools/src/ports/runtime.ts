import type { CallOptions, Preview, ToolCall, ToolOutcome } from '@fairlead/connector-runtime/call';

/** Calls vendors. */
export interface Runtime {
  execute(call: ToolCall, options: CallOptions): Promise<ToolOutcome>;
  /** What `execute` would send. Calls nobody. */
  preview(call: ToolCall): Preview;
}
