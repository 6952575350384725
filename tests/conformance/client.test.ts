import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { makeAccount } from '../contract/support/own-accounts.ts';

const stack = inject('stack');
const LIMIT_MS = 600_000;
/** Time limit of each client: all of them run at once. */
const CLIENT_LIMIT_MS = 300_000;
/** As of Fairlead's workers, which call the suite's servers while its clients start. */
const NICENESS = 10;

/** One check in the suite's report. */
const check = z.object({ id: z.string(), status: z.string() });

/** The suite of the Model Context Protocol, as npm installs it, and the client that it tests. */
const suite = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
);
const client = fileURLToPath(new URL('mcp-client.ts', import.meta.url));

/** Expectations of the suite that Fairlead as a client does not meet, with the reason. */
const NOT_MET: ReadonlyMap<string, string> = new Map([
  ['auth/scope-step-up', 'a person signs in again for more scopes; a call cannot ask them'],
  ['auth/authorization-server-migration', 'a connection keeps its server until somebody signs in again'],
  ['sep-2322-client-request-state', 'there is no user to answer what a server asks during a call'],
  ['http-custom-headers', 'a tool without arguments to fill in is called without its headers'],
  ['json-schema-2020-12-preservation', 'a tool’s schema is read through the catalogue, not from the client'],
  ['auth/client-credentials-jwt', 'an extension'],
  ['auth/client-credentials-basic', 'an extension'],
  ['auth/enterprise-managed-authorization', 'an extension'],
  ['auth/dpop', 'an extension'],
  ['auth/dpop-nonce', 'an extension'],
  ['auth/wif-jwt-bearer', 'an extension'],
]);

/** The scenarios below `directory`, and whether a check of each failed. */
async function readScenarios(directory: string): Promise<ReadonlyMap<string, boolean>> {
  const files = (await readdir(directory, { recursive: true })).filter((file) =>
    file.endsWith('checks.json'),
  );
  const entries = files.map(async (file) => {
    const checks = z.array(check).parse(JSON.parse(await readFile(join(directory, file), 'utf8')));
    const scenario = dirname(file).replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');
    return [scenario, checks.some(({ status }) => status === 'FAILURE')] as const;
  });
  return new Map(await Promise.all(entries));
}

test(
  'an MCPClient connection passes the client scenarios of the Model Context Protocol, but those that are named here',
  { timeout: LIMIT_MS },
  async () => {
    const { apiKey } = await makeAccount(stack);
    const results = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
    const command = `${process.execPath} ${client}`;
    const selection = ['--requirements', '2026-07-28', '--timeout', String(CLIENT_LIMIT_MS)];
    const run = spawn(
      process.execPath,
      [suite, 'client', '--command', command, ...selection, '--output-dir', results],
      {
        env: { ...process.env, FAIRLEAD_URL: stack.baseUrl, FAIRLEAD_API_KEY: apiKey },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    if (run.pid !== undefined) setPriority(run.pid, NICENESS);
    let output = '';
    for (const stream of [run.stdout, run.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    await new Promise((resolve) => run.once('close', resolve));
    try {
      const scenarios = await readScenarios(results);
      const failed = [...scenarios].filter(([, hasFailed]) => hasFailed).map(([name]) => name);
      expect(
        failed.filter((name) => !NOT_MET.has(name)),
        output,
      ).toEqual([]);
      // What is met since leaves the list.
      expect([...NOT_MET.keys()].filter((name) => !failed.includes(name))).toEqual([]);
      expect([...scenarios.keys()]).toEqual(
        expect.arrayContaining([
          'auth/metadata-default',
          'auth/pre-registration',
          'auth/resource-mismatch',
          'auth/iss-wrong-issuer',
          'auth/token-endpoint-auth-basic',
        ]),
      );
    } finally {
      await rm(results, { recursive: true, force: true });
    }
  },
);
