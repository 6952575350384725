import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAccountOf } from '../contract/support/own-accounts.ts';
import { openEntrance } from './suite/round-robin.ts';
import { compare, runSuite } from './suite/run.ts';
import { startSuiteServer } from './suite/server.ts';

const stack = inject('stack');
const LIMIT_MS = 600_000;

/** A tool of the suite's server without inputs. */
const SIMPLE_TOOL = '/v1/tools/test-simple-text/execute';
/** Enough calls that each of three replicas gets some. */
const CALLS_AT_START = 12;

const created = z.object({ id: z.int() });
const served = z.object({ url: z.string() });

/** Number of scenarios per revision. */
const SCENARIOS = { '2025-11-25': 33, '2026-07-28': 50 };

async function api<T>(answer: z.ZodType<T>, apiKey: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(new URL(path, stack.baseUrl), {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const sent = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${sent}`);
  return answer.parse(JSON.parse(sent));
}

/** Address of an anonymous MCP server of Fairlead that serves another server's tools. */
async function serve(serverUrl: string): Promise<string> {
  const { apiKey } = await createAccountOf(stack);
  const { id: connectionId } = await api(created, apiKey, '/v1/connections', {
    applicationSlug: 'mcp',
    connectionName: 'Conformance',
    authenticationId: 0,
    fields: { serverUrl },
  });
  const members = { name: 'Conformance', isAnonymousAllowed: true, schemas: 'original' };
  const { url } = await api(served, apiKey, '/admin/v1/mcpservers', {
    ...members,
    connections: [{ connectionId }],
  });
  await startWorkers(apiKey, connectionId);
  return url.replace(/\/sse$/, '/mcp');
}

/** Makes each replica start the account's worker, because the suite allows 500 ms for some responses. */
async function startWorkers(apiKey: string, connectionId: number): Promise<void> {
  const call = () =>
    api(z.object({ isSuccess: z.literal(true) }), apiKey, `${SIMPLE_TOOL}?connectionId=${connectionId}`, {
      fields: {},
    });
  await Promise.all(Array.from({ length: CALLS_AT_START }, call));
}

describe.each(Object.entries(SCENARIOS))('requirements of %s', (revision, count) => {
  const run = (url: string) => runSuite(['server', '--url', url, '--requirements', revision]);
  const start = async (): Promise<string> => {
    const upstream = await startSuiteServer();
    onTestFinished(() => upstream.close());
    return upstream.url;
  };

  test('the suite’s own server passes all scenarios', { timeout: LIMIT_MS }, async () => {
    const report = await run(await start());
    expect(compare(report, new Map()).failed, report.output).toEqual({});
    expect(report.scenarios.size).toBe(count);
  });

  test('the endpoint that serves it passes all scenarios', { timeout: LIMIT_MS }, async () => {
    const entrance = await openEntrance(stack);
    onTestFinished(() => entrance.close());
    const report = await run(entrance.at(await serve(await start())));
    expect(compare(report, new Map()).failed, report.output).toEqual({});
    expect(report.scenarios.size).toBe(count);
  });
});
