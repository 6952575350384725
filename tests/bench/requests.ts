/** The layers of the gateway's edge, in the order in which they are added. */
export const EDGE_STAGES = ['edge', 'log', 'auth', 'budgets', 'hop', 'presentation'] as const;

/** The same gate with both budgets, for each variant: it has every credential in its cache, or none. */
export const GATE_STAGES = ['gate', 'cold-gate'] as const;

/** The name of a stage. */
export type EdgeStage = (typeof EDGE_STAGES)[number] | (typeof GATE_STAGES)[number];

/** The credential with which a request passes the gate. */
export type Credential = 'key' | 'bearer';

/** Below this path a gate responds the same without requiring a credential. */
export const OPEN_PATH = '/open';

/** The transports of a call: plain HTTP, our transport, connect-node's own Connect, and gRPC. */
export const TRANSPORTS = ['raw-http', 'connect-fast', 'connect-node', 'grpc'] as const;

/** The name of a transport. */
export type TransportName = (typeof TRANSPORTS)[number];

/** One measurement of a process that makes calls itself. */
export interface LoopRequest {
  readonly callers: number;
  readonly durationMs: number;
}

/** One measurement by the load generator: GETs of `url`, or POSTs of `body`, one caller per connection. */
export interface LoadRequest extends LoopRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** Queries that are called in turn instead of that of `url`: `?search=…`. */
  readonly queries?: readonly string[];
}

/** One POST of a flood. */
export interface FloodCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes all calls at once, each over its own connection, or disconnects them. */
export type FloodRequest =
  { readonly kind: 'start'; readonly calls: readonly FloodCall[] } | { readonly kind: 'end' };

/** The answers to a flood so far. */
export interface FloodReport {
  /** How many had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that reached the silent vendor. */
  readonly atVendor: number;
}

/** Calls addresses in turn, over and over, with bodies of `bytes`, of a stated length and in chunks; or says how it goes; or ends it. */
export type BodyFloodRequest =
  | {
      readonly kind: 'start';
      readonly urls: readonly string[];
      readonly bytes: number;
      readonly sockets: number;
    }
  | { readonly kind: 'report' }
  | { readonly kind: 'end' };

/** The responses to such a flood so far. */
export interface BodyFloodReport {
  /** How many had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How many with 429 or 503 had no Retry-After. */
  readonly withoutRetryAfter: number;
  /** Since its start. */
  readonly seconds: number;
}

/** Calls of inbound addresses in turn: each of `callers` makes one after the other, or all are made at `perSecond`. */
export interface FireRequest {
  readonly urls: readonly string[];
  readonly count: number;
  readonly callers: number;
  readonly perSecond?: number;
}

/** The outcome of the calls. */
export interface FireReport {
  /** Calls that were not acknowledged. */
  readonly failures: number;
  readonly seconds: number;
}

/** Waits for so many events, at most so long. */
export interface SinkRequest {
  readonly count: number;
  readonly limitMs: number;
}

/** The events that have arrived since the last report, at addresses that answer. */
export interface SinkReport {
  readonly arrived: number;
  /** Requests with an event that had arrived. */
  readonly duplicates: number;
  /** From the call, or the time in the event, to the arrival. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** When the last one arrived, in milliseconds of Unix time. */
  readonly lastAtMs: number;
}
