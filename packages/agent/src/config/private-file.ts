import { readFileSync, statSync } from 'node:fs';

/** A configured file cannot be used; the message names the file and the reason. */
class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

const OTHERS = 0o077;

/** Reads a file that only its owner may access. Throws FileProblem if others may, or if it cannot be read. */
export function readPrivateFile(path: string): string {
  const mode = attempt(path, () => statSync(path).mode);
  if ((mode & OTHERS) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    throw new FileProblem(`${path} has mode ${octal}, so that others may access it: run chmod 600 ${path}`);
  }
  return readTextFile(path);
}

/** Reads a file. Throws FileProblem. */
export function readTextFile(path: string): string {
  return attempt(path, () => readFileSync(path, 'utf8'));
}

/** Reads a private file without its last line break. Throws FileProblem. */
export function readSecretFile(path: string): string {
  return readPrivateFile(path).replace(/\r?\n$/, '');
}

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new FileProblem(`${path} cannot be read (${code})`);
  }
}
