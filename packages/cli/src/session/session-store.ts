import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError, EXIT_CODES } from '../failure.ts';
import { withFileLock } from './file-lock.ts';

const session = z.object({
  issuer: z.string(),
  /** The resource that the tokens are valid for (RFC 8707). */
  resource: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** When the access token expires. */
  expiresAt: z.iso.datetime(),
  scope: z.string(),
});

const sessionsFile = z.object({
  version: z.literal(1),
  /** The installation that commands use by default. */
  current: z.string().nullable(),
  /** Sign-ins by the installation's address. */
  sessions: z.record(z.string(), session),
});

/** A sign-in to one installation. */
export type Session = z.infer<typeof session>;

/** Every sign-in of this person on this machine. */
export type Sessions = z.infer<typeof sessionsFile>;

const NOBODY: Sessions = { version: 1, current: null, sessions: {} };

/** The sign-ins, in a file that only its owner may read. */
export class SessionStore {
  /** The file. */
  readonly path: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'sessions.json');
  }

  /** The stored sign-ins. Throws if the file does not have their format. */
  async read(): Promise<Sessions> {
    let text;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return NOBODY;
      throw error;
    }
    const parsed = sessionsFile.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new CliError(EXIT_CODES.failed, `${this.path} cannot be read; remove it and sign in again.`);
  }

  /** Replaces the stored sign-ins with the result of `change`, under a lock against other processes. The file is never incomplete. */
  async update(
    signal: AbortSignal,
    change: (kept: Sessions) => Promise<Sessions> | Sessions,
  ): Promise<Sessions> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return await withFileLock(`${this.path}.lock`, signal, async () => {
      const kept = await this.read();
      const changed = await change(kept);
      if (changed !== kept) await this.#write(changed);
      return changed;
    });
  }

  async #write(sessions: Sessions): Promise<void> {
    const fresh = `${this.path}.${randomUUID()}`;
    try {
      await writeFile(fresh, `${JSON.stringify(sessions, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
      // The process's umask may have removed bits of the mode, but never added any.
      await chmod(fresh, 0o600);
      await rename(fresh, this.path);
    } finally {
      await rm(fresh, { force: true });
    }
  }
}

/** The person's settings folder, by the platform's convention. */
export function configFolder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string {
  const directory = environment['FAIRLEAD_CONFIG_DIR'];
  if (directory !== undefined && directory !== '') return directory;
  if (platform === 'win32')
    return join(environment['APPDATA'] ?? environment['USERPROFILE'] ?? '.', 'fairlead');
  const base = environment['XDG_CONFIG_HOME'];
  return join(
    base !== undefined && base !== '' ? base : join(environment['HOME'] ?? '.', '.config'),
    'fairlead',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
