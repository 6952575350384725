import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython, pythonEnvironment } from '@fairlead/client-generator/python-environment';
import { startStack } from '../setup/start-stack.ts';
import { prepareAccount } from './account.ts';

/**
 * Fuzzes its own stack with schemathesis from the OpenAPI document and exits with its exit code. Needs Python 3.11 or
 * newer with venv and a package index; without them it says so and exits with 0. `npm test -- schemathesis --
 * <arguments>` adds arguments for schemathesis: `--include-operation-id executeTool`.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const cache = join(here, '..', '..', 'node_modules', '.cache', 'hypothesis');

const python = await environment();
if ('reason' in python) {
  console.log(`\nschemathesis: SKIPPED, because ${python.reason}\n`);
} else {
  const { stack, stop } = await startStack();
  try {
    process.exitCode = await fuzz(python.interpreter, stack.openapiUrl, await prepareAccount(stack));
  } finally {
    await stop();
  }
}

/** The Python with schemathesis, which is installed at the first run and when requirements.txt changes. */
async function environment(): Promise<{ readonly interpreter: string } | { readonly reason: string }> {
  const found = findPython();
  if (found === undefined) return { reason: 'there is no Python with venv on PATH.' };
  const file = join(here, 'requirements.txt');
  try {
    const key = readFileSync(file, 'utf8');
    return { interpreter: await pythonEnvironment(found, { key, install: ['-r', file] }) };
  } catch (error) {
    return { reason: `it cannot be installed: ${String(error)}` };
  }
}

/** Runs schemathesis; returns its exit code. */
async function fuzz(
  interpreter: string,
  openapiUrl: string,
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const program = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()'];
  const config = ['--config-file', 'schemathesis.toml'];
  const run = spawn(
    interpreter,
    [...program, ...config, 'run', openapiUrl, '--checks', 'all', ...process.argv.slice(2)],
    {
      cwd: here,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...variables,
        SCHEMATHESIS_HOOKS: 'hooks',
        // Writes nothing into the source tree.
        PYTHONDONTWRITEBYTECODE: '1',
        HYPOTHESIS_STORAGE_DIRECTORY: cache,
      },
    },
  );
  const [code] = (await once(run, 'exit')) as [number | null];
  return code ?? 1;
}
