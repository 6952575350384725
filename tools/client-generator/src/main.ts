import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { currentPythonTypesMark, generatePythonTypes, generateSources, PYTHON_TYPES } from './generate.ts';

/** `node src/main.ts`: writes the generated code of the clients. Needs Python only if the Python client's types change. */
for (const [path, text] of await generateSources()) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
const current = await readFile(PYTHON_TYPES, 'utf8').catch(() => '');
if (!current.startsWith(await currentPythonTypesMark()))
  await writeFile(PYTHON_TYPES, await generatePythonTypes());
