import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { isEverything } from './selection.ts';

/** A repeated call. */
export interface LoadRoute {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Headers instead of the load's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form if it is one, otherwise as JSON. */
  readonly body?: unknown;
  /** Time within which the gateway must respond, whatever is unavailable. */
  readonly deadlineMs: number;
}

/** The outcome of one call. */
export interface Outcome {
  readonly route: LoadRoute;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** 0 without a response. */
  readonly status: number;
  /** The connection's error, without a response. */
  readonly failure: string | undefined;
  /** The envelope's code; undefined for a success, and without an envelope. */
  readonly errorCode: string | undefined;
  /** Whether a refusal is an envelope with code, message and the header's request id. */
  readonly isEnvelope: boolean;
  /** The request id in an envelope. */
  readonly requestId: string | undefined;
  readonly body: unknown;
  /** Target of a redirect. */
  readonly location: string | undefined;
}

/** Callers that run until they are stopped. */
export interface Load {
  /** Outcomes so far. */
  readonly outcomes: readonly Outcome[];
  /** Resolves once each kind of call, started from now on, has succeeded `times` times. */
  untilWell(limitMs: number, times?: number): Promise<void>;
  /** Stops the callers, each after its current call or steps; returns all outcomes. */
  stop(): Promise<readonly Outcome[]>;
}

/** Makes one call on the caller's own keep-alive connection, and records its outcome. */
export type Send = (route: LoadRoute) => Promise<Outcome>;

/** The steps that a caller repeats in sequence. */
export type Steps = (send: Send) => Promise<unknown>;

/** How long after the deadline a caller gives up and records a hang. */
const PATIENCE_MS = 60_000;
const POLL_MS = 20;
/** Tolerance after a deadline: on a busy machine in CI, a process may not run for this long. */
export const SLACK_MS = isEverything ? 10_000 : 30_000;

/**
 * Starts `callers` callers, each of which makes calls sequentially, over the routes in turn, with pauses of `pauseMs`, so that the load
 * does not starve the stack. Failed calls are not retried.
 */
export function startLoad(o: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly routes: readonly LoadRoute[];
  readonly callers: number;
  readonly pauseMs?: number | (() => number);
}): Load {
  let turn = 0;
  const steps: Steps = (send) => {
    const route = o.routes[turn++ % o.routes.length];
    if (route === undefined) throw new Error('A load needs a route.');
    return send(route);
  };
  return startCallers({
    baseUrl: o.baseUrl,
    headers: { 'x-api-key': o.apiKey },
    callers: Array.from({ length: o.callers }, () => steps),
    kinds: o.routes.map(({ name }) => name),
    ...(o.pauseMs !== undefined && { pauseMs: o.pauseMs }),
  });
}

/**
 * Starts one caller per entry of `callers`; it repeats its steps on its own keep-alive connection, with pauses of `pauseMs`. `kinds` are
 * the route names for `untilWell`.
 */
export function startCallers(o: {
  readonly baseUrl: string;
  /** Default headers of calls. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly callers: readonly Steps[];
  readonly kinds: readonly string[];
  readonly pauseMs?: number | (() => number);
}): Load {
  const outcomes: Outcome[] = [];
  const stopping = new AbortController();
  const pauseMs = (): number => (typeof o.pauseMs === 'function' ? o.pauseMs() : (o.pauseMs ?? 5));
  const caller = async (steps: Steps): Promise<void> => {
    // No timeouts except the caller's, so that a hang is detected.
    const agent = new Agent({ connections: 1, headersTimeout: 0, bodyTimeout: 0 });
    const send: Send = async (route) => {
      const outcome = await callOnce(agent, route, o);
      outcomes.push(outcome);
      return outcome;
    };
    while (!stopping.signal.aborted) {
      await steps(send);
      await delay(pauseMs());
    }
    await agent.destroy();
  };
  const running = Promise.all(o.callers.map(caller));
  return {
    outcomes,
    async untilWell(limitMs, times = 1) {
      const from = performance.now();
      const missing = (): string[] =>
        o.kinds.filter(
          (kind) => outcomes.filter((it) => it.route.name === kind && isWell(it, from)).length < times,
        );
      while (missing().length > 0) {
        if (performance.now() - from > limitMs)
          throw new Error(`Not answered well within ${limitMs} ms: ${missing().join(', ')}`);
        // Rejects if a caller failed.
        await Promise.race([delay(POLL_MS), running]);
      }
    },
    async stop() {
      stopping.abort();
      await running;
      return outcomes;
    },
  };
}

function isWell({ status, startedAt }: Outcome, from: number): boolean {
  return status >= 200 && status < 400 && startedAt >= from;
}

async function callOnce(
  agent: Agent,
  route: LoadRoute,
  o: { readonly baseUrl: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const startedAt = performance.now();
  const settle = (seen: Omit<Outcome, 'route' | 'startedAt' | 'durationMs'>): Outcome => ({
    route,
    startedAt,
    durationMs: performance.now() - startedAt,
    ...seen,
  });
  try {
    const { type, text } = contentOf(route);
    const answer = await request(o.baseUrl + route.path, {
      dispatcher: agent,
      method: route.method,
      headers: { ...(route.headers ?? o.headers), ...(type !== undefined && { 'content-type': type }) },
      body: text,
      signal: AbortSignal.timeout(route.deadlineMs + PATIENCE_MS),
    });
    const body = parse(await answer.body.text());
    const errorCode = textOf(body, 'errorCode');
    const requestId = textOf(body, 'requestId');
    return settle({
      status: answer.statusCode,
      failure: undefined,
      errorCode,
      isEnvelope:
        errorCode !== undefined &&
        textOf(body, 'message') !== undefined &&
        requestId !== undefined &&
        requestId === answer.headers['x-request-id'],
      requestId,
      body,
      location: textOf(answer.headers, 'location'),
    });
  } catch (error) {
    const failure = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const nothing = {
      errorCode: undefined,
      isEnvelope: false,
      requestId: undefined,
      body: undefined,
      location: undefined,
    };
    return settle({ status: 0, failure, ...nothing });
  }
}

function contentOf({ body }: LoadRoute): { readonly type: string | undefined; readonly text: string | null } {
  if (body === undefined) return { type: undefined, text: null };
  if (body instanceof URLSearchParams)
    return { type: 'application/x-www-form-urlencoded', text: body.toString() };
  return { type: 'application/json', text: JSON.stringify(body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(body: unknown, member: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, member);
  return typeof value === 'string' ? value : undefined;
}

/** Errors that callers may see while a dependency is unavailable. */
const AWAY: ReadonlySet<string> = new Set(['503 UNAVAILABLE', '504 TIMEOUT']);

/**
 * The violations during a fault, one per line: a response after its deadline, a refusal without an UNAVAILABLE or TIMEOUT envelope, or a
 * broken connection. Only if the gateway itself is unavailable may connections break, and responses be late by the time for which it was
 * frozen (`gatewayAwayMs`).
 */
export function violations(
  outcomes: readonly Outcome[],
  o: { readonly gatewayAwayMs?: number } = {},
): string[] {
  return outcomes.flatMap((it) => {
    const what = `${it.route.name} after ${Math.round(it.durationMs)} ms`;
    const limitMs = it.route.deadlineMs + (o.gatewayAwayMs ?? 0) + SLACK_MS;
    if (it.durationMs > limitMs) return [`${what}: above its deadline`];
    if (it.status === 0) return o.gatewayAwayMs === undefined ? [`${what}: ${it.failure}`] : [];
    if (it.status < 300) return [];
    if (it.isEnvelope && AWAY.has(`${it.status} ${it.errorCode}`)) return [];
    return [`${what}: ${it.status} ${JSON.stringify(it.body)}`];
  });
}

/** Whether callers noticed the fault: a call was refused, or took a second. */
export function isFelt(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(({ status, durationMs }) => status < 200 || status >= 300 || durationMs > 1_000);
}

/** Number of outcomes of each kind, for a message: `{ '200': 90, '503 UNAVAILABLE': 10 }`. */
export function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, errorCode, failure } of outcomes) {
    const kind = failure ?? (errorCode === undefined ? String(status) : `${status} ${errorCode}`);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
