import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** A call that is made over and over. */
export interface LoadRoute {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** The time within which the gateway answers, whatever is away. */
  readonly deadlineMs: number;
}

/** What became of one call. */
export interface Outcome {
  readonly route: LoadRoute;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** 0 where no answer came. */
  readonly status: number;
  /** The error of the connection where no answer came. */
  readonly failure: string | undefined;
  /** The envelope's code; undefined for a success and for what is no envelope. */
  readonly errorCode: string | undefined;
  /** Whether a refusal is an envelope: its code, a message, the request id of the header. */
  readonly isEnvelope: boolean;
  readonly body: unknown;
}

/** Callers that run until they are stopped. */
export interface Load {
  /** What has been answered so far. */
  readonly outcomes: readonly Outcome[];
  /** Resolves once each route has been answered well `times` times by calls that started from now on. */
  untilWell(limitMs: number, times?: number): Promise<void>;
  /** Ends the callers, each after the call it is in, and gives all outcomes. */
  stop(): Promise<readonly Outcome[]>;
}

/** How long a caller waits above the deadline before it gives up and notes a hang. */
const PATIENCE_MS = 15_000;
const POLL_MS = 20;
/** What an answer may take above its deadline on a machine that is busy with the rest of the test. */
const SLACK_MS = 1_000;

/**
 * Starts `callers` callers, each of which makes one call after the other, over the routes in turn, on a connection of its
 * own that it keeps. A caller pauses `pauseMs` between calls, so that the load does not take the machine from what it
 * measures. No call is repeated.
 */
export function startLoad(o: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly routes: readonly LoadRoute[];
  readonly callers: number;
  readonly pauseMs?: number | (() => number);
}): Load {
  const outcomes: Outcome[] = [];
  const stopping = new AbortController();
  let turn = 0;
  const pauseMs = (): number => (typeof o.pauseMs === 'function' ? o.pauseMs() : (o.pauseMs ?? 5));
  const caller = async (): Promise<void> => {
    // No limits of its own but the caller's: a hang has to show.
    const agent = new Agent({ connections: 1, headersTimeout: 0, bodyTimeout: 0 });
    while (!stopping.signal.aborted) {
      const route = o.routes[turn++ % o.routes.length];
      if (route === undefined) throw new Error('A load needs a route.');
      outcomes.push(await callOnce(agent, route, o));
      await delay(pauseMs());
    }
    await agent.destroy();
  };
  const running = Promise.all(Array.from({ length: o.callers }, caller));
  return {
    outcomes,
    async untilWell(limitMs, times = 1) {
      const from = performance.now();
      const missing = (): LoadRoute[] =>
        o.routes.filter(
          (route) => outcomes.filter((it) => it.route === route && isWell(it, from)).length < times,
        );
      while (missing().length > 0) {
        if (performance.now() - from > limitMs) {
          const names = missing().map(({ name }) => name);
          throw new Error(`Not answered well within ${limitMs} ms: ${names.join(', ')}`);
        }
        await delay(POLL_MS);
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
  return status >= 200 && status < 300 && startedAt >= from;
}

async function callOnce(
  agent: Agent,
  route: LoadRoute,
  o: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Outcome> {
  const startedAt = performance.now();
  const settle = (
    seen: Pick<Outcome, 'status' | 'failure' | 'errorCode' | 'isEnvelope' | 'body'>,
  ): Outcome => ({
    route,
    startedAt,
    durationMs: performance.now() - startedAt,
    ...seen,
  });
  try {
    const answer = await request(o.baseUrl + route.path, {
      dispatcher: agent,
      method: route.method,
      headers: {
        'x-api-key': o.apiKey,
        ...(route.body !== undefined && { 'content-type': 'application/json' }),
      },
      body: route.body === undefined ? null : JSON.stringify(route.body),
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
      body,
    });
  } catch (error) {
    const failure = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return settle({ status: 0, failure, errorCode: undefined, isEnvelope: false, body: undefined });
  }
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

/** What a caller may see of a part that is away. */
const AWAY: ReadonlySet<string> = new Set(['503 UNAVAILABLE', '504 TIMEOUT']);

/**
 * What is wrong with the outcomes of a load under a fault, one line each: an answer above its deadline, a refusal that is
 * no envelope or says anything but UNAVAILABLE or TIMEOUT, and a connection that broke. Only where the gateway itself is
 * away may connections break, and answers come as much later as it was frozen for (`gatewayAwayMs`).
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

/** Whether a fault reached the callers at all: one of them was refused, or waited for a second. */
export function isFelt(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(({ status, durationMs }) => status < 200 || status >= 300 || durationMs > 1_000);
}

/** How many outcomes there are of each kind, for a message: `{ '200': 90, '503 UNAVAILABLE': 10 }`. */
export function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, errorCode, failure } of outcomes) {
    const kind = failure ?? (errorCode === undefined ? String(status) : `${status} ${errorCode}`);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
