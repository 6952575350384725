import { constants, open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { HandlerError, InputError } from '@fairlead/connector-runtime/handler';

/** Checks that the call's profile is one for files. Throws InputError. */
export function rootOf({ credential: { fields } }: HandlerCall): {
  readonly root: string;
  readonly isReadOnly: boolean;
} {
  const { type, root, isReadOnly } = fields;
  if (type !== 'files' || typeof root !== 'string')
    throw new InputError([{ field: 'fields.profile', issue: 'must name a profile of the type files' }]);
  return { root, isReadOnly: isReadOnly === true };
}

/** Like rootOf, for a call that changes files. Throws HandlerError if the profile only allows reading. */
export function writableRootOf(call: HandlerCall): string {
  const { root, isReadOnly } = rootOf(call);
  if (isReadOnly) throw new HandlerError('The profile only allows reading.');
  return root;
}

/** The normalised path relative to the root; empty for the root itself. Throws InputError for a path outside the root. */
export function relativePath(field: string, value: unknown): string {
  const given = typeof value === 'string' ? value : '';
  const refuse = (issue: string): InputError => new InputError([{ field: `fields.${field}`, issue }]);
  if (given.includes('\0')) throw refuse('must not contain a null character');
  if (isAbsolute(given)) throw refuse("must be relative to the profile's root");
  const path = normalize(given === '' ? '.' : given);
  if (path === '..' || path.startsWith(`..${sep}`)) throw refuse("must stay below the profile's root");
  return path === '.' ? '' : path.endsWith(sep) ? path.slice(0, -1) : path;
}

/** An open file or folder. It stays below the root, whatever is renamed meanwhile. */
export interface Opened {
  readonly handle: FileHandle;
  /** Path by which the open folder stays reachable, even if a link replaces it later. */
  readonly path: string;
}

/**
 * Opens the file or folder at `path` below the root for reading, with `flags`, and runs `use` with it. Links are followed only within the
 * root. Throws HandlerError.
 */
export async function withOpened<T>(
  { root, path, flags = 0 }: { readonly root: string; readonly path: string; readonly flags?: number },
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    const realRoot = await realpath(root);
    const place = join(realRoot, path);
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    const byHandle = `/proc/self/fd/${handle.fd}`;
    const target = await readlink(byHandle).catch(() => undefined);
    // Systems without /proc, which are only used for development, use the path.
    const opened = target === undefined ? await realpath(place) : byHandle;
    if (!isWithin(realRoot, target ?? opened))
      throw new HandlerError(`${quoted(path)} leads out of the profile's root.`);
    return await use({ handle, path: opened });
  } catch (error) {
    throw fileFailure(error, quoted(path));
  } finally {
    await handle?.close();
  }
}

/** Runs `use` with the path of an entry in its open folder. Throws InputError for the root, which is not an entry. */
export function withEntry<T>(
  { root, path, field = 'path' }: { readonly root: string; readonly path: string; readonly field?: string },
  use: (entry: string) => Promise<T>,
): Promise<T> {
  if (path === '') throw new InputError([{ field: `fields.${field}`, issue: 'must name a file or folder' }]);
  const folder = { root, path: parentOf(path), flags: constants.O_DIRECTORY };
  return withOpened(folder, async (opened) => {
    try {
      return await use(join(opened.path, basename(path)));
    } catch (error) {
      throw fileFailure(error, quoted(path));
    }
  });
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function quoted(path: string): string {
  return path === '' ? 'The root' : `"${path}"`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not below a folder',
  EISDIR: 'is a folder',
  EEXIST: 'exists already',
  ENOTEMPTY: 'is not empty',
  EACCES: 'may not be used by the agent',
  EPERM: 'may not be used by the agent',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written, because the disk is full',
  ELOOP: 'is a link',
  EXDEV: 'is on another file system',
  ENAMETOOLONG: 'is too long',
};

function fileFailure(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const reason = REASONS[String(error.code)] ?? `cannot be used (${String(error.code)})`;
  return new HandlerError(`${what} ${reason}.`, { cause: error });
}
