/** The layers of the gateway's edge, in the order in which they are added. */
export const EDGE_STAGES = ['edge', 'log', 'auth', 'budgets', 'hop', 'presentation'] as const;

/** The same gate with both budgets, in two variants: with all credentials cached, or none. */
export const GATE_STAGES = ['gate', 'cold-gate'] as const;

/** The name of a stage. */
export type EdgeStage = (typeof EDGE_STAGES)[number] | (typeof GATE_STAGES)[number];

/** The credential with which a request passes the gate. */
export type Credential = 'key' | 'bearer';

/** Below this path a gate gives the same response without a credential. */
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
  /** Queries used in turn instead of `url`'s: `?search=…`. */
  readonly queries?: readonly string[];
}

/** One POST of a flood. */
export interface FloodCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes all calls at once, each on its own connection, or disconnects them. */
export type FloodRequest =
  { readonly kind: 'start'; readonly calls: readonly FloodCall[] } | { readonly kind: 'end' };

/** Answers to a flood so far. */
export interface FloodReport {
  /** Number of answers per status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that reached the silent vendor. */
  readonly atVendor: number;
}

/** Calls addresses in turn, repeatedly, with bodies of `bytes`, with Content-Length and chunked; or reports its state; or ends. */
export type BodyFloodRequest =
  | {
      readonly kind: 'start';
      readonly urls: readonly string[];
      readonly bytes: number;
      readonly sockets: number;
    }
  | { readonly kind: 'report' }
  | { readonly kind: 'end' };

/** Responses to a flood of bodies so far. */
export interface BodyFloodReport {
  /** Number of responses per status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Number of 429 and 503 responses without Retry-After. */
  readonly withoutRetryAfter: number;
  /** Milliseconds since its start. */
  readonly seconds: number;
}

/** Calls inbound addresses in turn: `callers` sequential callers, or a fixed rate of `perSecond`. */
export interface FireRequest {
  readonly urls: readonly string[];
  readonly count: number;
  readonly callers: number;
  readonly perSecond?: number;
}

/** The outcome of the calls. */
export interface FireReport {
  /** Number of unacknowledged calls. */
  readonly failures: number;
  readonly seconds: number;
}

/** Waits for this many events, at most this long. */
export interface SinkRequest {
  readonly count: number;
  readonly limitMs: number;
}

/** Events that have arrived since the last report, at addresses that answer. */
export interface SinkReport {
  readonly arrived: number;
  /** Number of requests with an event that had already arrived. */
  readonly duplicates: number;
  /** Latencies from the call, or from the time in the event, to the arrival. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Arrival of the last one, in milliseconds of Unix time. */
  readonly lastAtMs: number;
}
