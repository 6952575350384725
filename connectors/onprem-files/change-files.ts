import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { textOf } from '@fairlead/connector-runtime/templates';
import { recordOf } from './read-files.ts';
import { relativePath, withEntry, writableRootOf } from './root-folder.ts';

/** Writes a whole file; concurrent readers see either the former or the new content. */
export async function writeFile(call: HandlerCall): Promise<JsonObject> {
  const root = writableRootOf(call);
  const fields = parsedMembers(call.fields);
  const path = relativePath('path', fields['path']);
  const content = textOf(fields['content'] ?? '');
  const bytes = Buffer.from(content, fields['encoding'] === 'base64' ? 'base64' : 'utf8');
  if (fields['createFolders'] === true) await createFolders(root, dirname(path));
  return withEntry({ root, path }, async (entry) => {
    await requireNoFolder(entry, path);
    const staged = join(dirname(entry), `.fairlead-${randomBytes(9).toString('base64url')}`);
    try {
      await writeNew(staged, bytes);
      await (fields['overwrite'] === true ? rename(staged, entry) : link(staged, entry));
    } finally {
      await rm(staged, { force: true });
    }
    return recordOf(entry, path);
  });
}

/** Deletes a file, a link or an empty folder. */
export async function deleteFile(call: HandlerCall): Promise<JsonObject> {
  const root = writableRootOf(call);
  const path = relativePath('path', parsedMembers(call.fields)['path']);
  return withEntry({ root, path }, async (entry) => {
    await ((await lstat(entry)).isDirectory() ? rmdir(entry) : unlink(entry));
    return { path };
  });
}

/** Moves a file, or a folder with its content, to a path where nothing exists. */
export async function moveFile(call: HandlerCall): Promise<JsonObject> {
  const root = writableRootOf(call);
  const fields = parsedMembers(call.fields);
  const from = relativePath('from', fields['from']);
  const to = relativePath('to', fields['to']);
  return withEntry({ root, path: from, field: 'from' }, (source) =>
    withEntry({ root, path: to, field: 'to' }, async (target) => {
      if ((await lstat(source)).isDirectory()) {
        await requireNothing(target, to);
        await rename(source, target);
      } else {
        // Unlike renaming, linking fails if the target exists.
        await link(source, target);
        await unlink(source);
      }
      return recordOf(target, to);
    }),
  );
}

async function writeNew(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createFolders(root: string, path: string): Promise<void> {
  if (path === '.') return;
  await createFolders(root, dirname(path));
  await withEntry({ root, path }, async (entry) => {
    await mkdir(entry).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  });
}

async function requireNoFolder(entry: string, path: string): Promise<void> {
  const found = await foundAt(entry);
  if (found?.isDirectory() === true) throw new HandlerError(`"${path}" is a folder.`);
}

async function requireNothing(entry: string, path: string): Promise<void> {
  if ((await foundAt(entry)) !== undefined) throw new HandlerError(`"${path}" exists already.`);
}

/** Undefined: nothing exists at the path. */
function foundAt(entry: string): Promise<Stats | undefined> {
  return lstat(entry).catch((error: NodeJS.ErrnoException) => {
    // Other errors do not prove that nothing exists.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
