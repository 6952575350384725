import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, EXIT_CODES } from '../failure.ts';

/** A file that was written. */
export interface SavedFile {
  readonly file: string;
  readonly sizeBytes: number;
}

/** Receives the written bytes, and reports at the end whether they are complete. */
export interface CompletenessCheck {
  readonly add: (bytes: Uint8Array) => void;
  readonly isComplete: () => boolean;
}

/**
 * Writes a body to a file that only its owner may read. The file appears once it is complete; throws a CliError if the file already exists,
 * or the body ended early.
 */
export async function saveFile(
  body: ReadableStream<Uint8Array>,
  o: {
    readonly file: string;
    readonly cwd: string;
    readonly isReplacing: boolean;
    readonly check: CompletenessCheck;
  },
): Promise<SavedFile> {
  const file = resolve(o.cwd, o.file);
  const partial = `${file}.${randomUUID()}.part`;
  async function* countBytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of Readable.fromWeb(body)) {
      // A fetch body consists of bytes.
      const bytes = chunk as Uint8Array;
      o.check.add(bytes);
      yield bytes;
    }
  }
  try {
    await pipeline(countBytes, createWriteStream(partial, { mode: 0o600, flags: 'wx' }));
    if (!o.check.isComplete()) {
      throw new CliError(EXIT_CODES.tryLater, 'The response ended early. Nothing was written.');
    }
    if (o.isReplacing) await rename(partial, file);
    // A link fails if the file exists; a rename would replace it.
    else await link(partial, file);
    return { file, sizeBytes: (await stat(file)).size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new CliError(EXIT_CODES.usage, `${file} exists; replace it with --force.`);
    }
    throw error;
  } finally {
    await rm(partial, { force: true });
  }
}
