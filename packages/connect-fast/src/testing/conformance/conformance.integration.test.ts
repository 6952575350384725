import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestContext } from 'vitest';
import { installSuite, runSuite } from './suite.ts';
import type { Suite } from './suite.ts';

// Compiling takes a minute on an idle machine.
const INSTALL_TIMEOUT_MS = 15 * 60_000;

let installed: Awaited<ReturnType<typeof installSuite>>;
const scratch = mkdtempSync(join(tmpdir(), 'conformance-'));

beforeAll(async () => {
  installed = await installSuite();
  if ('reason' in installed) console.log(`\nConnect conformance: SKIPPED, because ${installed.reason}\n`);
}, INSTALL_TIMEOUT_MS);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function suiteOrSkip({ skip }: TestContext): Suite {
  return 'reason' in installed ? skip(installed.reason) : installed;
}

// The number of cases follows from client.yaml, server.yaml and the suite's version.

it("the client passes all of the suite's cases for it", async (context) => {
  const { output, ...result } = await runSuite(suiteOrSkip(context), 'client');
  expect(result, output).toEqual({ passed: 55, failed: 0 });
});

it("the server passes all of the suite's cases for it, those of plain unary calls on the fast path", async (context) => {
  const servedBy = join(scratch, 'served-by');
  const { output, ...result } = await runSuite(suiteOrSkip(context), 'server', servedBy);
  expect(result, output).toEqual({ passed: 133, failed: 0 });
  const lines = readFileSync(servedBy, 'utf8').split('\n');
  expect(lines.filter((line) => line === 'fast path')).toHaveLength(40);
});
