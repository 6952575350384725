import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython, pythonEnvironment } from '@fairlead/client-generator/python-environment';

const run = promisify(execFile);
const client = fileURLToPath(new URL('../../../clients/python', import.meta.url));

/** Folder of compiled modules, to keep them out of the sources. */
const BYTECODE = fileURLToPath(new URL('../../../node_modules/.cache/fairlead-bytecode', import.meta.url));

/** Packages of the programs in docs/ai.md. */
const PACKAGES = ['langchain==1.5.2', 'langchain-openai==1.7.4'];

/** Path of this machine's Python, if installed. */
export const python = findPython();

/** The reason to skip a test that needs Python. */
export const WITHOUT_PYTHON =
  'no Python of 3.10 or newer with venv was found: the Python client is not tested';

let interpreter: Promise<string> | undefined;

/**
 * The interpreter of an environment with the client, installed as by users with its dependencies, and the packages of the guides. The first
 * call creates it, which takes a while: a test may call it in advance.
 */
export function preparePython(): Promise<string> {
  interpreter ??= readFile(join(client, 'pyproject.toml'), 'utf8').then((project) =>
    pythonEnvironment(python ?? '', {
      key: `programs ${PACKAGES.join(' ')} ${project}`,
      install: [client, ...PACKAGES],
    }),
  );
  return interpreter;
}

/** Runs a program in the environment of `preparePython`, with the client's current source. */
export async function runPython(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ stdout: string; stderr: string }> {
  return await run(await preparePython(), args, {
    cwd: client,
    env: { ...environment, PYTHONPATH: join(client, 'src'), PYTHONPYCACHEPREFIX: BYTECODE },
  });
}
