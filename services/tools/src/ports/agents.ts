import type { CallOptions, ToolOutcome, VendorCall } from '@fairlead/connector-runtime/call';

/** On-prem agents, which run calls of applications of kind OPA in their own networks. */
export interface Agents {
  /** Runs a call on the connection's agent. Never rejects because of the agent. */
  execute(call: VendorCall, options: CallOptions): Promise<ToolOutcome>;
}
