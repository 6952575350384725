import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiDocument } from '@fairlead-services/gateway/openapi/api-document';
import type { OpenApiDocument } from '@fairlead/rest-kit/openapi/document';
import {
  PUBLIC_URL,
  recordedExamples,
  SAMPLES_FILE,
} from '@fairlead-services/gateway/openapi/recorded-examples';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { clientModel } from './client-model.ts';
import type { ClientModel } from './client-model.ts';
import { codeSamples } from './code-samples.ts';
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
  files.set(SAMPLES_FILE, `${JSON.stringify(await currentCodeSamples(), null, 2)}\n`);
  return files;
}

/** The code samples of every recorded example; the address in them is a placeholder. */
export async function currentCodeSamples(): ReturnType<typeof codeSamples> {
  const { operations } = recordedExamples(PUBLIC_URL);
  const document = currentDocument();
  return await codeSamples({ document, model: currentModel(), examples: operations, publicUrl: PUBLIC_URL });
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

/** The OpenAPI document of this tree; the address of an installation is a setting of each client. */
export function currentDocument(): OpenApiDocument {
  return apiDocument('http://127.0.0.1:8080');
}

function currentModel(): ClientModel {
  return clientModel(currentDocument(), streamedOperations());
}

/** The ids of the operations with a streamed response, which the document does not declare. */
function streamedOperations(): ReadonlySet<string> {
  return new Set(routeTable.filter(({ streams }) => streams).map(({ operationId }) => operationId));
}
