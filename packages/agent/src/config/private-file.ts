import { readFileSync, statSync } from 'node:fs';

/** A file that the configuration names cannot be used; the message says which and why. */
class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

const OTHERS = 0o077;

/** The text of a file that only its owner may access. Throws FileProblem if others may, or if it cannot be read. */
export function readPrivateFile(path: string): string {
  const mode = attempt(path, () => statSync(path).mode);
  if ((mode & OTHERS) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    throw new FileProblem(`${path} has mode ${octal}, so that others may access it: run chmod 600 ${path}`);
  }
  return readTextFile(path);
}

/** The text of a file. Throws FileProblem. */
export function readTextFile(path: string): string {
  return attempt(path, () => readFileSync(path, 'utf8'));
}

/** The text of a private file without its last line break. Throws FileProblem. */
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
