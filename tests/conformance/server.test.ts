import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { makeAccount } from '../contract/support/own-accounts.ts';
import { startSuiteTools } from './suite-tools.ts';

const stack = inject('stack');
const LIMIT_MS = 600_000;

/** One check in the suite's report. */
const check = z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() });
const created = z.object({ id: z.int() });
const served = z.object({ url: z.string() });

/** The suite of the Model Context Protocol, as npm installs it. */
const suite = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
);

const STORED = 'images and audio of other MCP servers are stored as files; the client gets a link as text';
const NO_MESSAGES = 'while a tool runs, its MCP server and the client cannot send each other messages';
const TOOLS_ONLY = 'prompts, resources and completions of other MCP servers are not passed on';

/** Scenarios that the endpoint does not pass yet, with the reason. */
const NOT_YET: ReadonlyMap<string, string> = new Map([
  ['tools-call-image', STORED],
  ['tools-call-audio', STORED],
  ['tools-call-mixed-content', STORED],
  ['tools-call-with-logging', NO_MESSAGES],
  ['tools-call-with-progress', NO_MESSAGES],
  ['tools-call-sampling', NO_MESSAGES],
  ['tools-call-elicitation', NO_MESSAGES],
  ['elicitation-sep1034-defaults', NO_MESSAGES],
  ['elicitation-sep1330-enums', NO_MESSAGES],
  ['logging-set-level', 'the endpoint sends no log messages, so that clients choose no level'],
  ['completion-complete', TOOLS_ONLY],
  ['resources-list', TOOLS_ONLY],
  ['resources-read-text', TOOLS_ONLY],
  ['resources-read-binary', TOOLS_ONLY],
  ['resources-templates-read', TOOLS_ONLY],
  ['resources-subscribe', TOOLS_ONLY],
  ['resources-unsubscribe', TOOLS_ONLY],
  ['prompts-list', TOOLS_ONLY],
  ['prompts-get-simple', TOOLS_ONLY],
  ['prompts-get-with-args', TOOLS_ONLY],
  ['prompts-get-embedded-resource', TOOLS_ONLY],
  ['prompts-get-with-image', TOOLS_ONLY],
]);

/** Scenarios that must be among those that pass. */
const PASSED = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-embedded-resource',
  'tools-call-error',
  'server-sse-multiple-streams',
  'server-session-lifecycle',
  'json-schema-2020-12',
  'dns-rebinding-protection',
];

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

/** The address of an anonymous MCP server of Fairlead that serves the tools of another one. */
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

/** The scenarios below `directory`, each with the errors of its checks that failed. */
async function readScenarios(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = (await readdir(directory, { recursive: true })).filter((file) =>
    file.endsWith('checks.json'),
  );
  const entries = files.map(async (file) => {
    const checks = z.array(check).parse(JSON.parse(await readFile(join(directory, file), 'utf8')));
    const scenario = dirname(file).replace(/^server-(.*)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '$1');
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    return [scenario, failed.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`)] as const;
  });
  return new Map(await Promise.all(entries));
}

test(
  'the endpoint passes the server scenarios of the Model Context Protocol, but those that are named here',
  { timeout: LIMIT_MS },
  async () => {
    const tools = await startSuiteTools();
    const results = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
    try {
      const selection = ['--requirements', '2025-11-25', '--output-dir', results];
      const run = spawn(process.execPath, [suite, 'server', '--url', await serve(tools.url), ...selection], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [run.stdout, run.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      await new Promise((resolve) => run.once('close', resolve));
      const scenarios = await readScenarios(results);
      const failed = [...scenarios].filter(([, errors]) => errors.length > 0);
      expect(
        failed.filter(([name]) => !NOT_YET.has(name)),
        output,
      ).toEqual([]);
      // A scenario that passes leaves the list.
      const names = failed.map(([name]) => name);
      expect([...NOT_YET.keys()].filter((name) => !names.includes(name))).toEqual([]);
      expect([...scenarios.keys()]).toEqual(expect.arrayContaining(PASSED));
    } finally {
      await rm(results, { recursive: true, force: true });
      await tools.close();
    }
  },
);
