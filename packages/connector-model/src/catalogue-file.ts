import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Connector } from './model.ts';
import { connectorSchema } from './schema/connector.ts';

/** 2: the compile step has proved every schema to be bounded. The tools service relies on it. */
const FORMAT_VERSION = 2;

const catalogueSchema = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  connectors: z.array(connectorSchema),
});

/**
 * Writes the compiled catalogue atomically: a reader sees either the whole old catalogue or the whole new one.
 */
export async function writeCatalogueFile(path: string, connectors: readonly Connector[]): Promise<void> {
  const temporary = `${path}.${String(process.pid)}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, `${JSON.stringify({ formatVersion: FORMAT_VERSION, connectors })}\n`);
  await rename(temporary, path);
}

/** Reads a compiled catalogue; rejects with a message naming the file if it is missing or has another format. */
export async function readCatalogueFile(path: string): Promise<readonly Connector[]> {
  try {
    return catalogueSchema.parse(JSON.parse(await readFile(path, 'utf8'))).connectors;
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : '';
    throw new Error(`The catalogue file ${path} cannot be read. ${reason}`, { cause: error });
  }
}
