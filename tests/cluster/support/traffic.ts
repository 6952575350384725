import { monitorEventLoopDelay } from 'node:perf_hooks';
import { z } from 'zod';
import type { EventSink } from '../../faults/support/event-sink.ts';
import { startLoad, tally } from '../../faults/support/load.ts';
import type { LoadRoute, Outcome } from '../../faults/support/load.ts';
import { connectMcpClients, isBeforeItsStream, tallyOf } from '../../faults/support/mcp-clients.ts';
import type { McpOutcome } from '../../faults/support/mcp-clients.ts';
import { executeRoute, prepareConnection, readRoutes } from '../../faults/support/traffic.ts';
import type { DevStack } from '../../setup/dev-stack.ts';
import { until } from './kubernetes.ts';

/** Longest pause of a client between two calls: half of the gateway's DRAIN_DELAY_MS, during which its connection may be idle. */
const LONGEST_PAUSE_MS = 2_500;
/** Callers of the routes, in addition to the MCP clients. */
export const CALLERS = 10;
const MCP_CLIENTS_OF_EACH_WIRE = 3;
/** After a failed attempt, retries follow after one minute, and again after five. */
const ARRIVAL_MS = 420_000;
const WELL_MS = 120_000;

/** The installation under load: its address, the calling account, and the token of its sample vendor. */
export type Target = Pick<DevStack, 'baseUrl' | 'mcpUrl' | 'account' | 'sandboxCrm'>;

/** Records used by the load. */
export interface TrafficRecords {
  readonly routes: readonly LoadRoute[];
  readonly hook: LoadRoute;
  readonly mcpServerUrl: string;
}

/** The outcome of a load. */
export interface Verdict {
  readonly outcomes: readonly Outcome[];
  readonly mcpOutcomes: readonly McpOutcome[];
  /** Ids of events acknowledged with 202. */
  readonly acknowledged: readonly string[];
  /** Acknowledged events that did not arrive. */
  readonly lost: readonly string[];
  /** Longest pause of this process, and therefore of its clients. */
  readonly stillMs: number;
}

/** Reads, executions, inbound calls and MCP calls by keep-alive clients without retries. */
export interface Traffic {
  /** Resolves once each kind of call, started from now on, has succeeded. */
  untilWell(limitMs?: number): Promise<void>;
  /** Stops the clients and waits for the events. */
  stop(): Promise<Verdict>;
  /** Stops the clients without waiting for events. */
  halt(): Promise<void>;
}

const created = z.object({ id: z.string() });
const trigger = z.object({ inboundUrl: z.string() });
const server = z.object({ mcpServerToken: z.string() });

/** Posts as the target's account; the response must be 201. */
async function create(target: Target, path: string, members: object): Promise<unknown> {
  const answer = await fetch(target.baseUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': target.account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(members),
  });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${String(answer.status)} ${await answer.text()}`);
  return answer.json();
}

/** Creates a trigger whose events go to that address; returns the path of its inbound address. */
export async function createTrigger(target: Target, url: string): Promise<string> {
  const { id } = created.parse(await create(target, '/v1/triggers/destinations', { url }));
  const members = { name: 'Under load', triggerTypeSlug: 'http_webhook', destinationIds: [id] };
  return new URL(trigger.parse(await create(target, '/v1/triggers', members)).inboundUrl).pathname;
}

/** Creates a connection, a trigger and an MCP server for the load. */
export async function prepareTraffic(target: Target, sink: EventSink): Promise<TrafficRecords> {
  const connectionId = await prepareConnection(target);
  const connections = [{ connectionId, tools: ['sandbox-crm-list-contacts'] }];
  const { mcpServerToken } = server.parse(
    await create(target, '/admin/v1/mcpservers', { name: 'Under load', connections }),
  );
  const hook: LoadRoute = {
    name: 'POST /hooks/…',
    method: 'POST',
    path: await createTrigger(target, `${sink.url}/204`),
    body: { number: 0 },
    deadlineMs: 35_000,
  };
  return {
    routes: [...readRoutes(connectionId), executeRoute(connectionId), hook, executeRoute(connectionId), hook],
    hook,
    mcpServerUrl: `${target.mcpUrl}/${mcpServerToken}/mcp`,
  };
}

/** Starts the clients; `callers` of them call the routes. */
export async function startTraffic(
  target: Target,
  prepared: TrafficRecords,
  sink: EventSink,
  callers = CALLERS,
): Promise<Traffic> {
  let calls = 0;
  // Mostly short pauses and some long ones, so that calls fall into every moment of a stop.
  const pauseMs = (): number => 40 + LONGEST_PAUSE_MS * ((calls++ % 32) / 31) ** 8;
  const { apiKey } = target.account;
  const mcp = await connectMcpClients({
    serverUrl: prepared.mcpServerUrl,
    apiKey,
    tool: 'sandbox-crm-list-contacts',
    each: MCP_CLIENTS_OF_EACH_WIRE,
    // A client of HTTP+SSE loses its session with its stream, and cannot be answered until it has the next one (ADR 64). It calls once
    // while a replica stops, then pauses for a second, in which it reconnects.
    pauseMs: () => LONGEST_PAUSE_MS * (0.7 + 0.6 * Math.random()),
    idleMs: LONGEST_PAUSE_MS,
  });
  const { baseUrl } = target;
  const eventLoop = monitorEventLoopDelay();
  eventLoop.enable();
  const load = startLoad({ baseUrl, apiKey, routes: prepared.routes, callers, pauseMs });
  return {
    async untilWell(limitMs = WELL_MS) {
      await Promise.all([load.untilWell(limitMs), mcp.untilWell(limitMs)]);
    },
    async stop() {
      const [outcomes] = await Promise.all([load.stop(), mcp.stop()]);
      const acknowledged = outcomes.flatMap(({ route, status, body }) =>
        route === prepared.hook && status === 202 ? [created.parse(body).id] : [],
      );
      const missing = (): readonly string[] => {
        const arrived = new Set(sink.entries().map(({ eventId }) => eventId));
        return acknowledged.filter((id) => !arrived.has(id));
      };
      await until('all events arrived', ARRIVAL_MS, () => missing().length === 0).catch(() => undefined);
      eventLoop.disable();
      const stillMs = eventLoop.max / 1e6;
      return { outcomes, mcpOutcomes: mcp.outcomes, acknowledged, lost: missing(), stillMs };
    },
    async halt() {
      await Promise.all([load.stop(), mcp.stop()]);
    },
  };
}

/** A failed call: its time, and a line about it. */
export interface FailedCall {
  readonly line: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The failed calls of a load. */
export function failedCalls({ outcomes, mcpOutcomes }: Verdict): readonly FailedCall[] {
  return [
    ...outcomes
      .filter(({ status }) => status < 200 || status >= 300)
      .map(({ route, status, failure, body, startedAt, durationMs }) => ({
        line: `${route.name} after ${String(Math.round(durationMs))} ms: ${failure ?? `${String(status)} ${JSON.stringify(body)}`}`,
        startedAt,
        endedAt: startedAt + durationMs,
      })),
    ...mcpOutcomes.flatMap(({ wire, failure, startedAt, endedAt }) => {
      if (failure === undefined || isBeforeItsStream(failure)) return [];
      const line = `MCP over ${wire} after ${String(Math.round(endedAt - startedAt))} ms: ${failure}`;
      return [{ line, startedAt, endedAt }];
    }),
  ];
}

/** The problems of a load that must not fail, one per line: failed calls and lost events. */
export function problemsOf(verdict: Verdict): readonly string[] {
  return [
    ...failedCalls(verdict).map(({ line, startedAt }) => `${line} (at ${String(Math.round(startedAt))} ms)`),
    ...verdict.lost.map((id) => `the event ${id} did not arrive`),
  ];
}

/** One line about a load: its calls, failures and events. */
export function figuresOf(verdict: Verdict): string {
  const { outcomes, mcpOutcomes, acknowledged, lost, stillMs } = verdict;
  const failed = failedCalls(verdict).length;
  const moved = mcpOutcomes.filter(
    ({ failure }) => failure !== undefined && isBeforeItsStream(failure),
  ).length;
  const streams = moved === 0 ? '' : `; ${String(moved)} on HTTP+SSE came before their new stream`;
  // A halted client may use a connection that was idle for longer than it knows.
  const kinds =
    failed === 0
      ? ''
      : `; the clients stood still for at most ${stillMs.toFixed(0)} ms ${JSON.stringify({ ...tally(outcomes), ...tallyOf(mcpOutcomes) })}`;
  return `${String(outcomes.length + mcpOutcomes.length)} calls, ${String(failed)} failed; ${String(acknowledged.length)} events, ${String(lost.length)} lost${streams}${kinds}`;
}
