import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientModel } from './client-model.ts';
import type { ClientModel } from './client-model.ts';
import { currentDocument, streamedOperations } from './document.ts';
import { pythonResources, pythonSchemas } from './python-client.ts';
import { pythonTypes, pythonTypesMark } from './python-types.ts';
import { typescriptClient } from './typescript-client.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PYTHON = join(ROOT, 'clients/python');

/** Where the Python client's types are. */
export const PYTHON_TYPES = join(PYTHON, 'src/fairlead/types.py');

const REQUIREMENTS = join(PYTHON, 'requirements-generate.txt');

/** The generated files that need only Node, by path: all except the Python client's types. */
export async function generateSources(): Promise<ReadonlyMap<string, string>> {
  const model = currentModel();
  const files = new Map<string, string>();
  for (const [name, text] of await typescriptClient(model)) {
    files.set(join(ROOT, 'packages/sdk/src/gen', name), text);
  }
  files.set(join(PYTHON, 'src/fairlead/resources.py'), pythonResources(model));
  return files;
}

/** The first line of a current `types.py`. */
export async function currentPythonTypesMark(): Promise<string> {
  const schemas = pythonSchemas(currentModel());
  return pythonTypesMark(schemas, await readFile(REQUIREMENTS, 'utf8'));
}

/** The Python client's types; needs Python. */
export async function generatePythonTypes(): Promise<string> {
  const schemas = pythonSchemas(currentModel());
  return await pythonTypes(schemas, REQUIREMENTS);
}

function currentModel(): ClientModel {
  return clientModel(currentDocument(), streamedOperations());
}
