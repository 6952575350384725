import type { CallOptions, ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';

/** The on-prem agents, which run calls of the applications of kind OPA in their own networks. */
export interface Agents {
  /** Has the agent of the connection run a call. Never rejects because of the agent. */
  execute(call: VendorCall, options: CallOptions): Promise<ToolOutcome>;
}
