import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A call for an agent, as in TaskService. */
export interface ReplicaCall {
  readonly connectionId: number;
  readonly callJson: Uint8Array;
  readonly hasEffects: boolean;
  readonly timeoutMs: number;
  /** The id that the call's task gets. */
  readonly taskId: string;
}

/**
 * The outcome of a forwarded call, as JSON. `notBegun`: the replica did not receive or did not start it. `lost`: the replica did not
 * answer.
 */
export type ForwardResult = { readonly outcome: Uint8Array } | 'notBegun' | 'lost';

/** Client of the other replicas of this service. */
export interface Replicas {
  /** Runs a call on the replica with that name. */
  runCall(ctx: RequestContext, replica: string, call: ReplicaCall): Promise<ForwardResult>;
}
