import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A call of an agent, as TaskService has it. */
export interface ReplicaCall {
  readonly connectionId: number;
  readonly callJson: Uint8Array;
  readonly hasEffects: boolean;
  readonly timeoutMs: number;
  /** The id that its task gets. */
  readonly taskId: string;
}

/** The end of a call that was passed on: the JSON of its outcome; `notBegun`: the replica did not get it, or did not begin it; `lost`: the replica said nothing. */
export type PassedOn = { readonly outcome: Uint8Array } | 'notBegun' | 'lost';

/** The other replicas of this service. */
export interface Replicas {
  /** Has the replica of that name run a call. */
  runCall(ctx: RequestContext, replica: string, call: ReplicaCall): Promise<PassedOn>;
}
