import { setTimeout as delay } from 'node:timers/promises';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, fetch as fetchBy } from 'undici';

/** The transport of a client. */
type Wire = 'Streamable HTTP' | 'HTTP+SSE';

/** The outcome of one tools/call. */
export interface McpOutcome {
  readonly wire: Wire;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined: the tool's result arrived and is not an error. */
  readonly failure: string | undefined;
}

/** Clients that repeatedly call a tool until stopped. */
export interface McpClients {
  readonly outcomes: readonly McpOutcome[];
  /** Resolves once each client has had a result for a call started from now on; throws after `limitMs`. */
  untilWell(limitMs: number): Promise<void>;
  /** Stops the clients, each after its current call. */
  stop(): Promise<void>;
}

const POLL_MS = 50;

/**
 * Connects `each` SDK clients per transport, which call `tool` with pauses of `pauseMs`. They reconnect like the SDK, and retry no call. No
 * connection is idle for longer than `idleMs`.
 */
export async function connectMcpClients(o: {
  readonly serverUrl: string;
  readonly apiKey: string;
  readonly tool: string;
  readonly each: number;
  readonly pauseMs: () => number;
  readonly idleMs: number;
}): Promise<McpClients> {
  const agent = new Agent({
    keepAliveTimeout: o.idleMs,
    keepAliveMaxTimeout: o.idleMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // The same standard on both sides; only undici's types differ from Node's.
  const fetch = ((url: string, init: object) =>
    fetchBy(url, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch;
  const options = { fetch, requestInit: { headers: { 'x-api-key': o.apiKey } } };
  const url = new URL(o.serverUrl);
  const open = {
    'Streamable HTTP': () =>
      new StreamableHTTPClientTransport(url, {
        ...options,
        reconnectionOptions: {
          initialReconnectionDelay: 500,
          maxReconnectionDelay: 5_000,
          reconnectionDelayGrowFactor: 1.5,
          maxRetries: 20,
        },
      }),
    // oxlint-disable-next-line typescript/no-deprecated -- -deprecated -- the test is about this transport
    'HTTP+SSE': () => new SSEClientTransport(url, options),
  };
  const outcomes: McpOutcome[] = [];
  const lastWell: number[] = [];
  const stopping = new AbortController();

  async function callUntilStopped(client: Client, wire: Wire, index: number): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const failure = await failureOf(client, o.tool);
      outcomes.push({ wire, startedAt, endedAt: performance.now(), failure });
      if (failure === undefined) lastWell[index] = startedAt;
      await delay(o.pauseMs());
    }
    await client.close();
  }

  const clients = await Promise.all(
    (['Streamable HTTP', 'HTTP+SSE'] as const).flatMap((wire) =>
      Array.from({ length: o.each }, async () => {
        const client = new Client({ name: 'client under faults', version: '1' });
        await client.connect(open[wire]());
        return { client, wire };
      }),
    ),
  );
  const running = Promise.all(
    clients.map(({ client, wire }, index) => callUntilStopped(client, wire, index)),
  );
  return {
    outcomes,
    async untilWell(limitMs) {
      const from = performance.now();
      const missing = (): number =>
        clients.filter((_client, index) => !((lastWell[index] ?? 0) > from)).length;
      while (missing() > 0) {
        if (performance.now() - from > limitMs)
          throw new Error(`${missing()} clients had no result within ${limitMs} ms`);
        // Rejects if a client failed.
        await Promise.race([delay(POLL_MS), running]);
      }
    },
    async stop() {
      stopping.abort();
      await running;
      await agent.destroy();
    },
  };
}

async function failureOf(client: Client, tool: string): Promise<string | undefined> {
  try {
    const { isError, content } = await client.callTool({ name: tool, arguments: {} });
    return isError === true ? JSON.stringify(content) : undefined;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return `${String(error)}${cause}`;
  }
}

/** Number of outcomes of each kind, for a message. */
export function tallyOf(outcomes: readonly McpOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { wire, failure = 'a result' } of outcomes) {
    const kind = `${wire}: ${failure}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/**
 * Whether a call over HTTP+SSE was refused because its stream ended with its gateway and the client had no other yet. On this transport
 * every answer uses the stream (ADR 64). The refusal says that nothing was done.
 */
export function isBeforeItsStream(failure: string): boolean {
  return failure.includes('The stream of the session cannot be reached, so nothing was done.');
}
