import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeAccount } from '../contract/support/own-accounts.ts';
import { openEntrance } from './suite/round-robin.ts';
import { compare, runSuite } from './suite/run.ts';
import { startSuiteServer } from './suite/server.ts';

const stack = inject('stack');
const LIMIT_MS = 600_000;

const created = z.object({ id: z.int() });
const served = z.object({ url: z.string() });

const NOT_AS_SENT =
  'images and audio of other MCP servers are stored as files; the client gets a link as text';
const NO_MESSAGES = 'while a tool runs, its MCP server and the client cannot send each other messages';
const NO_SUBSCRIPTIONS = 'changes of resources of other MCP servers are not passed on';
const NO_QUESTIONS = 'what another MCP server requires of the client is not passed on';

/** Scenarios that share their reason. */
const each = (reason: string, ...names: readonly string[]): readonly (readonly [string, string])[] =>
  names.map((name) => [name, reason]);

/** Scenarios of both revisions that the endpoint does not pass yet, with the reason. */
const NOT_YET = [
  ...each(NOT_AS_SENT, 'tools-call-image', 'tools-call-audio', 'tools-call-mixed-content'),
  ...each(NO_MESSAGES, 'tools-call-with-progress'),
];

/** Scenarios of one revision that the endpoint does not pass yet, with the reason. */
const NOT_YET_OF: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    '2025-11-25',
    new Map([
      ...NOT_YET,
      ...each(NO_SUBSCRIPTIONS, 'resources-subscribe', 'resources-unsubscribe'),
      ...each(
        NO_MESSAGES,
        'tools-call-with-logging',
        'tools-call-sampling',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
      ),
    ]),
  ],
  [
    '2026-07-28',
    new Map([
      ...NOT_YET,
      ...each(
        NO_QUESTIONS,
        'server-stateless',
        'input-required-result-basic-elicitation',
        'input-required-result-basic-sampling',
        'input-required-result-basic-list-roots',
        'input-required-result-request-state',
        'input-required-result-multiple-input-requests',
        'input-required-result-multi-round',
        'input-required-result-non-tool-request',
        'input-required-result-result-type',
        'input-required-result-tampered-state',
        'input-required-result-capability-check',
      ),
    ]),
  ],
]);

/** How many scenarios each revision has. */
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

/** The address of an anonymous MCP server of Fairlead that serves all that another one does. */
async function serve(serverUrl: string): Promise<string> {
  const { apiKey } = await makeAccount(stack);
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
  return url.replace(/\/sse$/, '/mcp');
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

  test(
    'the endpoint that serves it passes all scenarios, but those that are named here',
    { timeout: LIMIT_MS },
    async () => {
      const entrance = await openEntrance(stack);
      onTestFinished(() => entrance.close());
      const report = await run(entrance.at(await serve(await start())));
      // A scenario that passes leaves the list.
      const known = NOT_YET_OF.get(revision) ?? new Map<string, string>();
      expect(compare(report, known), report.output).toEqual({ failed: {}, passed: [] });
      expect(report.scenarios.size).toBe(count);
    },
  );
});
