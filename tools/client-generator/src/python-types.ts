import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientModel } from './client-model.ts';
import { findPython, pythonEnvironment } from './python-environment.ts';

const run = promisify(execFile);

/** The first line of `types.py`: the hash of its schemas and its generator. Comparing it needs no Python. */
export function pythonTypesMark(schemas: ClientModel['schemas'], requirements: string): string {
  const sum = createHash('sha256')
    .update(JSON.stringify([schemas, requirements]))
    .digest('hex');
  return `# Generated from the OpenAPI document by \`npm run generate\`; do not edit. sha256:${sum}`;
}

/**
 * The generated `types.py`: one TypedDict per schema, by datamodel-code-generator in its own virtual environment, created
 * once. Throws if there is no Python 3.10 or newer.
 */
export async function pythonTypes(
  schemas: ClientModel['schemas'],
  requirementsFile: string,
): Promise<string> {
  const python = findPython();
  if (python === undefined) {
    throw new Error(
      'The types of the Python client change: python3 (3.10 or newer, with venv) is needed to generate them.',
    );
  }
  const requirements = await readFile(requirementsFile, 'utf8');
  const interpreter = await pythonEnvironment(python, {
    key: `datamodel-code-generator ${requirements}`,
    install: ['-r', requirementsFile],
  });
  const work = await mkdtemp(join(tmpdir(), 'fairlead-python-types-'));
  try {
    const input = join(work, 'openapi.json');
    const output = join(work, 'types.py');
    const info = { title: 'Fairlead', version: 'v1' };
    await writeFile(input, JSON.stringify({ openapi: '3.1.0', info, paths: {}, components: { schemas } }));
    const options = {
      input,
      output,
      'input-file-type': 'openapi',
      'output-model-type': 'typing.TypedDict',
      'target-python-version': '3.10',
      'enum-field-as-literal': 'all',
      formatters: 'builtin',
      'custom-file-header': pythonTypesMark(schemas, requirements),
    };
    await run(interpreter, [
      '-m',
      'datamodel_code_generator',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      '--use-schema-description',
      '--use-field-description',
      '--disable-timestamp',
      '--use-double-quotes',
    ]);
    return await readFile(output, 'utf8');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
