/** The layers of the gateway's edge, in the order in which they are added. */
export const EDGE_STAGES = ['edge', 'log', 'auth', 'budgets', 'hop', 'presentation'] as const;

/** The same gate with both budgets, past which each way can be taken: it knows every credential, or none. */
export const GATE_STAGES = ['gate', 'cold-gate'] as const;

/** The name of a stage. */
export type EdgeStage = (typeof EDGE_STAGES)[number] | (typeof GATE_STAGES)[number];

/** What a request is let past the gate by. */
export type Credential = 'key' | 'bearer';

/** Below it a gate answers the same without asking for a credential. */
export const OPEN_PATH = '/open';

/** What carries a call: HTTP with nothing around it, our transport, connect-node's own Connect, and gRPC. */
export const TRANSPORTS = ['raw-http', 'connect-fast', 'connect-node', 'grpc'] as const;

/** The name of a transport. */
export type TransportName = (typeof TRANSPORTS)[number];

/** One measurement of a process that calls something itself. */
export interface LoopQuestion {
  readonly callers: number;
  readonly durationMs: number;
}

/** One measurement by the load generator: GETs of `url`, one caller a connection. */
export interface LoadQuestion extends LoopQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
