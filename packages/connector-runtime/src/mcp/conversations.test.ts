import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '../testing/calls.ts';
import { mcpScripts } from '../testing/mcp-conversations.ts';
import type { McpScript } from '../testing/mcp-conversations.ts';
import { startScriptedMcpServer } from '../testing/scripted-mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';

/**
 * `CONVERSATIONS=10000 npm test -- unit packages/connector-runtime/src/mcp/conversations.test.ts` generates more
 * conversations.
 */
const CONVERSATIONS = Number(process.env['CONVERSATIONS'] ?? 300);
const SEED = Number(process.env['SEED'] ?? 11);
/** Number of simultaneous conversations; two workers have room for more. */
const LANES = 14;
/** Time limit of a call. Silent servers make the test wait for it, and most scripts over HTTP+SSE end in silence. */
const TIMEOUT_MS = { http: 1_000, events: 3_000 };
/** Number of conversations that are repeated with a longer limit if the machine is so busy that none reached its end. */
const REPEATED = 42;

const runtime = testWorkerRuntime();
const server = await startScriptedMcpServer();
afterAll(() => server.close());

const connector = testConnector({ slug: 'mcp-1', name: 'MCP server', kind: 'MCPClient' });
const method = testMethod({ type: 'none' }, { test: { type: 'mcp' } });

/** The failures of a call and of a discovery; undefined: it succeeded. */
async function converse(
  script: McpScript,
  wire: 'http' | 'events',
  timeoutMs: number,
): Promise<(string | undefined)[]> {
  const credential = testCredential({ serverUrl: server.play(script, wire) });
  const options = testOptions({ timeoutMs });
  const tool = testTool({ type: 'mcp', toolName: 'do' });
  const [called, discovered] = await Promise.all([
    runtime.execute(testCall(tool, { connector, method, credential }), options),
    runtime.discoverMcpTools(connector, method, credential, options).catch((error: unknown) => error),
  ]);
  return [
    called.isSuccess ? undefined : called.errorMessage,
    discovered instanceof Error ? discovered.message : undefined,
  ];
}

/** Unexpected errors, and workers that ended for another reason than their limits of time and memory. */
const UNEXPECTED = /internal error|process that made/;

it.each([
  { wire: 'http', count: CONVERSATIONS },
  { wire: 'events', count: Math.ceil(CONVERSATIONS / 5) },
] as const)(
  'however a server answers over $wire, a call and a discovery end with a result or a failure that is known',
  async ({ wire, count }) => {
    const scripts = fc.sample(mcpScripts, { numRuns: count, seed: SEED });
    const unexpected: unknown[] = [];
    /** Runs the conversations. Resolves to the number of results. */
    const converseAll = async (left: McpScript[], timeoutMs: number): Promise<number> => {
      let results = 0;
      const converseInTurn = async (): Promise<void> => {
        for (let script = left.pop(); script !== undefined; script = left.pop()) {
          const ends = await converse(script, wire, timeoutMs);
          if (ends.some((text) => UNEXPECTED.test(text ?? ''))) unexpected.push({ ends, script });
          results += ends.filter((text) => text === undefined).length;
        }
      };
      await Promise.all(Array.from({ length: LANES }, converseInTurn));
      return results;
    };
    let successes = await converseAll([...scripts], TIMEOUT_MS[wire]);
    for (let timeoutMs = 4 * TIMEOUT_MS[wire]; successes === 0 && timeoutMs < 60_000; timeoutMs *= 4)
      successes = await converseAll(scripts.slice(0, REPEATED), timeoutMs);
    expect(unexpected).toEqual([]);
    // The scripts must cover both successful and failed conversations.
    expect(successes).toBeGreaterThan(0);
    expect(successes).toBeLessThan(2 * count);
  },
  300_000 + CONVERSATIONS * 100,
);
