import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPython, pythonEnvironment } from '@fairlead/client-generator/python-environment';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('../../../clients/python', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('../requirements.txt', import.meta.url));

const python = findPython();

/** Long, because the test installs packages and builds. */
const LIMIT_MS = 600_000;

it(
  'the Python client is built, passes twine check, and is installed and run',
  { timeout: LIMIT_MS },
  async ({ skip }) => {
    skip(python === undefined, 'there is no Python with venv on PATH: the Python client is not packed');
    const key = readFileSync(REQUIREMENTS, 'utf8');
    const interpreter = await pythonEnvironment(python ?? '', { key, install: ['-r', REQUIREMENTS] }).catch(
      (error: unknown) => String(error),
    );
    skip(!interpreter.endsWith('python'), `the tools cannot be installed: ${interpreter}`);
    const folder = await temporaryFolder();
    const source = join(folder, 'client');
    cpSync(CLIENT, source, { recursive: true });
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    await run(interpreter, ['-m', 'build', '--no-isolation', '--outdir', join(folder, 'dist'), source], {
      env,
    });
    const files = readdirSync(join(folder, 'dist')).toSorted();
    expect(files).toEqual([
      expect.stringMatching(/^fairlead-[\d.]+-py3-none-any\.whl$/),
      expect.stringMatching(/^fairlead-[\d.]+\.tar\.gz$/),
    ]);
    const paths = files.map((file) => join(folder, 'dist', file));
    const { stdout } = await run(interpreter, ['-m', 'twine', 'check', '--strict', ...paths], { env });
    expect(stdout.match(/PASSED/g)).toHaveLength(2);
    const target = join(folder, 'installed');
    const install = ['install', '--quiet', '--no-deps', '--no-index', '--target', target, paths[0] ?? ''];
    await run(interpreter, ['-m', 'pip', ...install], { env });
    const program =
      "import fairlead; print(fairlead.__file__); fairlead.Fairlead(base_url='http://localhost', api_key='k')";
    const ran = await run(interpreter, ['-c', program], { env: { ...env, PYTHONPATH: target }, cwd: folder });
    expect(ran.stdout).toContain(target);
  },
);
