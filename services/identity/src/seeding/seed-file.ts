import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isWellFormedApiKey } from '@fairlead/access/api-key';

const secrets = z.object({
  accountId: z.string().min(1),
  apiKey: z.string().refine(isWellFormedApiKey, 'is no API key'),
  ownerEmail: z.email(),
  ownerPassword: z.string().min(1),
});

const seedFile = z.object({ account: secrets.optional(), otherAccount: secrets.optional() });

/** The content of the file with the secrets of seeded accounts. */
export type SeedFile = z.infer<typeof seedFile>;

/** The content of the file at `path`; empty if it does not exist. Throws if it is not a seed file. */
export async function readSeedFile(path: string): Promise<SeedFile> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return seedFile.parse(JSON.parse(content));
  } catch (cause) {
    throw new Error(`${path} is not a file of seeded accounts; move it away to seed again`, { cause });
  }
}

/** Writes the file atomically, readable only by its owner. */
export async function writeSeedFile(path: string, file: SeedFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 });
  // A umask narrows the mode of a new file and never widens it; a file that an operator loosened is tightened here.
  await chmod(draft, 0o600);
  await rename(draft, path);
}
