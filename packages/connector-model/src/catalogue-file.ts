import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Connector } from './model.ts';
import { connectorSchema } from './schema/connector.ts';

/** Version 2: the compile step has proved that every schema is bounded, and the tools service relies on that. */
const FORMAT_VERSION = 2;

const catalogueSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  inputs: z.string().optional(),
  connectors: z.array(connectorSchema),
});

const DIGEST_AT_BEGINNING = new RegExp(
  `^\\{"formatVersion":${String(FORMAT_VERSION)},"inputs":"([0-9a-f]{64})"`,
);
const BEGINNING_BYTES = 128;

/**
 * Writes the compiled catalogue atomically, so a reader never sees a half-written file. `inputs` is the digest of the
 * sources; without it, the next start compiles again.
 */
export async function writeCatalogueFile(
  path: string,
  connectors: readonly Connector[],
  inputs?: string,
): Promise<void> {
  const temporary = `${path}.${String(process.pid)}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, `${JSON.stringify({ formatVersion: FORMAT_VERSION, inputs, connectors })}\n`);
  await rename(temporary, path);
}

/**
 * The digest of the sources of a catalogue file; undefined if the file is missing or has none. Reads only the
 * beginning of the file.
 */
export async function readCatalogueInputs(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(BEGINNING_BYTES), position: 0 });
    return DIGEST_AT_BEGINNING.exec(buffer.toString('utf8', 0, bytesRead))?.[1];
  } finally {
    await file.close();
  }
}

/** Reads a compiled catalogue. Rejects with a message that names the file if it is missing or has another format. */
export async function readCatalogueFile(path: string): Promise<readonly Connector[]> {
  try {
    return catalogueSchema.parse(JSON.parse(await readFile(path, 'utf8'))).connectors;
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : '';
    throw new Error(`The catalogue file ${path} cannot be read. ${reason}`, { cause: error });
  }
}
