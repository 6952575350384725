import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, test } from 'vitest';
import { exitReason } from './exit-reason.ts';

async function wordsOf(log: string): Promise<string> {
  const file = join(await temporaryFolder(), 'x.log');
  await writeFile(file, log);
  return exitReason(file);
}

test('the reason is the last structured entry with its error', async () => {
  const log = '{"level":30,"msg":"listening"}\n{"level":60,"msg":"gave up","err":{"message":"no store"}}\n';
  expect(await wordsOf(log)).toBe('gave up: no store');
});

test('plain lines after the last structured entry become one line', async () => {
  const log = '{"level":30,"msg":"hello"}\ntools: the configuration is not valid\n  CATALOG_URL: required\n';
  expect(await wordsOf(log)).toBe('tools: the configuration is not valid CATALOG_URL: required');
});

test('of a stack trace only the error remains', async () => {
  const log = [
    'node:internal/modules/esm/resolve:271',
    '    throw new ERR_MODULE_NOT_FOUND(',
    '',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'",
    '    at finalizeResolution (node:internal/modules/esm/resolve:271:11)',
    'Node.js v24.21.0',
  ].join('\n');
  expect(await wordsOf(log)).toBe("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'");
});

test('an empty or missing log is reported as such', async () => {
  expect(await wordsOf('')).toBe('its log is empty');
  expect(await exitReason('/nonexistent/x.log')).toBe('its log is empty');
});
