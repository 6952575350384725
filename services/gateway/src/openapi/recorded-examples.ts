import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentExamples } from '@fairlead/rest-kit/openapi/examples';

/** Placeholder for the installation's address in recorded examples and code samples. */
export const PUBLIC_URL = '{{publicUrl}}';

/** Folder to which `npm run examples` writes: one file per tag, and one for errors. */
export const EXAMPLES_FOLDER = fileURLToPath(new URL('./examples', import.meta.url));

/** File of errors by code, in that folder. */
export const ERRORS_FILE = 'errors.json';

/** File to which `npm run generate` writes the code samples. */
export const SAMPLES_FILE = fileURLToPath(new URL('./code-samples.json', import.meta.url));

/** The recorded examples of all operations, for the API at `publicUrl`. */
export function recordedExamples(publicUrl: string): DocumentExamples {
  // Generated files; a contract test compares them with real responses.
  const read = (file: string): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(file, 'utf8').replaceAll(PUBLIC_URL, publicUrl)) as Record<string, unknown>;
  const operations = readdirSync(EXAMPLES_FOLDER)
    .filter((name) => name !== ERRORS_FILE)
    .flatMap((name) => Object.entries(read(join(EXAMPLES_FOLDER, name))));
  return {
    operations: Object.fromEntries(operations),
    samples: read(SAMPLES_FILE),
    errors: read(join(EXAMPLES_FOLDER, ERRORS_FILE)),
  } as DocumentExamples;
}
