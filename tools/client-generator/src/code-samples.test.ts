import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentCodeSamples } from './generate.ts';
import { findPython } from './python-environment.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const samples = await currentCodeSamples();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-code-samples-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes the samples of a language, one file per operation; returns their names. */
async function write(lang: string, extension: string): Promise<string[]> {
  const written = Object.entries(samples).map(async ([operationId, all]) => {
    const name = join(folder, `${operationId}.${extension}`);
    await writeFile(name, `${all.find((sample) => sample.lang === lang)?.source}\n`);
    return name;
  });
  return await Promise.all(written);
}

it('every TypeScript sample compiles with the SDK of this tree', async () => {
  const files = await write('TypeScript', 'ts');
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
    moduleDetection: 'force',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { '@fairlead/sdk': [join(ROOT, 'packages/sdk/src/fairlead.ts')] },
  };
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { status, stdout } = spawnSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

const python = findPython();
it.skipIf(python === undefined)('every Python sample parses', async () => {
  const files = await write('Python', 'py');
  const { status, stderr } = spawnSync(python ?? '', ['-m', 'py_compile', ...files], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('every curl sample can be pasted into a shell', async () => {
  for (const file of await write('Shell', 'sh')) {
    const { status, stderr } = spawnSync('bash', ['-n', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
});
