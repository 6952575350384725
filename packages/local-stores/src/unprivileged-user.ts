import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A system account that a server can run as. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that every Debian has, or that PostgreSQL's package creates; neither owns any other files. */
const CANDIDATES = ['postgres', 'nobody'];

/** The account for a server that refuses to run as root; undefined if this process is not root. */
export async function userInsteadOfRoot(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  const found = CANDIDATES.map((name) => users.get(name)).find((user) => user !== undefined);
  if (found === undefined) throw new Error(`no account named ${CANDIDATES.join(' or ')} in /etc/passwd`);
  return found;
}

/** Parses the lines of a file in the format passwd(5). */
export function parsePasswd(text: string): ReadonlyMap<string, SystemUser> {
  const users = new Map<string, SystemUser>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      users.set(name, { name, uid: Number(uid), gid: Number(gid) });
    }
  }
  return users;
}

/**
 * The first of these paths that the user can reach: the user can enter each existing folder above it. Folders that do not exist yet count
 * as open.
 */
export async function firstReachable(
  paths: readonly string[],
  user: SystemUser | undefined,
): Promise<string | undefined> {
  for (const path of paths) if (user === undefined || (await isReachable(path, user))) return path;
  return undefined;
}

/** Creates a folder and its missing parents so that every user can enter them, whatever the umask. */
export async function createOpenFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const topmost = await mkdir(path, { recursive: true });
  if (topmost === undefined) return;
  for (let folderPath = path; folderPath.length >= topmost.length; folderPath = dirname(folderPath))
    await chmod(folderPath, 0o755);
}

async function isReachable(path: string, user: SystemUser): Promise<boolean> {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && (found.mode & searchBit(found, user)) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function searchBit(entry: { uid: number; gid: number }, user: SystemUser): number {
  if (entry.uid === user.uid) return 0o100;
  return entry.gid === user.gid ? 0o010 : 0o001;
}
