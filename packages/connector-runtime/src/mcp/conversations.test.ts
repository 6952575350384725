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

/** `CONVERSATIONS=10000 npm test -- unit packages/connector-runtime/src/mcp/conversations.test.ts` makes more. */
const CONVERSATIONS = Number(process.env['CONVERSATIONS'] ?? 300);
const SEED = Number(process.env['SEED'] ?? 11);
/** Conversations at once: fewer than two workers take. */
const LANES = 14;
/** Servers that say nothing more are waited for; over events, most are. */
const TIMEOUT_MS = { http: 1_000, events: 3_000 };
/** How many conversations are repeated with more time if the machine is so busy that none came to its end. */
const REPEATED = 42;

const runtime = testWorkerRuntime();
const server = await startScriptedMcpServer();
afterAll(() => server.close());

const connector = testConnector({ slug: 'mcp-1', name: 'MCP server', kind: 'MCPClient' });
const method = testMethod({ type: 'none' }, { test: { type: 'mcp' } });

/** The ends of a call and of a discovery: the text of the failure, or undefined. */
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

/** An error that nobody expects, and the end of a worker for another reason than its limits of time and memory. */
const UNEXPECTED = /internal error|process that made/;

it.each([
  { wire: 'http', count: CONVERSATIONS },
  { wire: 'events', count: Math.ceil(CONVERSATIONS / 5) },
] as const)(
  'however a server answers over $wire, a call and a discovery end with a result or a failure that is known',
  async ({ wire, count }) => {
    const scripts = fc.sample(mcpScripts, { numRuns: count, seed: SEED });
    const unexpected: unknown[] = [];
    /** Resolves to how many of them ended with a result. */
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
    // Some sessions reach their end, and some do not.
    expect(successes).toBeGreaterThan(0);
    expect(successes).toBeLessThan(2 * count);
  },
  300_000 + CONVERSATIONS * 100,
);
