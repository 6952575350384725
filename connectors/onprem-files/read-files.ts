import { constants, lstat, readdir, stat } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError, InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { textOf } from '@fairlead/connector-runtime/templates';
import { relativePath, rootOf, withOpened } from './root-folder.ts';

const MAX_TOP = 100;
const MAX_READ_BYTES = 512 * 1024;
/** Maximum entries that a search examines, and maximum matches that it returns. */
const MAX_SEARCHED = 20_000;
const MAX_MATCHES = 100;

/** Returns one page of a folder's entries, by name. */
export async function listFolder(call: HandlerCall): Promise<JsonObject> {
  const { root } = rootOf(call);
  const path = relativePath('path', parsedMembers(call.fields)['path']);
  return withOpened({ root, path, flags: constants.O_DIRECTORY }, async (folder) => {
    const names = (await readdir(folder.path)).toSorted();
    const offset = call.offset ?? 0;
    const page = names.slice(offset, offset + Math.min(call.top ?? MAX_TOP, MAX_TOP));
    const items = await Promise.all(page.map((name) => entryOf(join(folder.path, name), join(path, name))));
    return { items: items.filter((item) => item !== undefined), totalCount: names.length };
  });
}

/** Returns a file's content, or a part of it, as text or base64. */
export async function readFile(call: HandlerCall): Promise<JsonObject> {
  const { root } = rootOf(call);
  const fields = parsedMembers(call.fields);
  const path = relativePath('path', fields['path']);
  const offset = Number(fields['offset'] ?? 0);
  const length = Math.min(Number(fields['length'] ?? MAX_READ_BYTES), MAX_READ_BYTES);
  return withOpened({ root, path }, async ({ handle }) => {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new HandlerError(`"${path}" is not a file.`);
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, stats.size - offset)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = fields['encoding'] === 'base64' ? 'base64' : 'utf8';
    const content = encoding === 'base64' ? bytes.toString('base64') : utf8Of(bytes);
    const isComplete = offset + bytesRead >= stats.size;
    return { ...described(path, stats), content, encoding, offset, length: bytesRead, isComplete };
  });
}

function utf8Of(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HandlerError(
      'The content is not text in UTF-8, or the part ends within a character. Read it with encoding base64.',
      { cause: error },
    );
  }
}

/** Returns the entries below a folder whose name matches a pattern. Links are not followed. */
export async function searchFiles(call: HandlerCall): Promise<JsonObject> {
  const { root } = rootOf(call);
  const fields = parsedMembers(call.fields);
  const start = relativePath('path', fields['path']);
  const matches = nameMatcher(textOf(fields['name'] ?? ''));
  const found: JsonObject[] = [];
  const open = [start];
  let seen = 0;
  const isDone = (): boolean => seen >= MAX_SEARCHED || found.length >= MAX_MATCHES;
  for (let path = open.shift(); path !== undefined && !isDone(); path = open.shift()) {
    call.signal.throwIfAborted();
    for (const entry of await entriesOf(root, path, path === start)) {
      seen += 1;
      const at = join(path, entry.name);
      if (entry.isDirectory()) open.push(at);
      if (matches(entry.name)) {
        const item = await withOpened({ root, path, flags: constants.O_DIRECTORY }, (folder) =>
          entryOf(join(folder.path, entry.name), at),
        );
        if (item !== undefined) found.push(item);
      }
      if (isDone()) break;
    }
  }
  return { items: found, isComplete: !isDone() };
}

/** The entries of a folder by name. If a subfolder cannot be read, it counts as empty. */
async function entriesOf(root: string, path: string, isFirst: boolean): Promise<readonly Dirent[]> {
  try {
    return await withOpened({ root, path, flags: constants.O_DIRECTORY }, async (folder) => {
      const entries = await readdir(folder.path, { withFileTypes: true });
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    });
  } catch (error) {
    if (isFirst || !(error instanceof HandlerError)) throw error;
    return [];
  }
}

/** Matches names against a pattern with `*` and `?`, without a regular expression, in time linear in the name for each `*`. */
function nameMatcher(pattern: string): (name: string) => boolean {
  if (pattern === '') throw new InputError([{ field: 'fields.name', issue: 'must not be empty' }]);
  const wanted = pattern.toLowerCase();
  return (name) => {
    const text = name.toLowerCase();
    let [at, in_, star, mark] = [0, 0, -1, 0];
    while (at < text.length) {
      if (wanted[in_] === '*') {
        star = in_;
        mark = at;
        in_ += 1;
      } else if (in_ < wanted.length && (wanted[in_] === '?' || wanted[in_] === text[at])) {
        at += 1;
        in_ += 1;
      } else if (star >= 0) {
        in_ = star + 1;
        mark += 1;
        at = mark;
      } else {
        return false;
      }
    }
    while (wanted[in_] === '*') in_ += 1;
    return in_ === wanted.length;
  };
}

/** Undefined: removed since its folder was read. */
async function entryOf(entry: string, path: string): Promise<JsonObject | undefined> {
  try {
    return described(path, await lstat(entry));
  } catch {
    return undefined;
  }
}

function described(path: string, stats: Stats): JsonObject {
  const type = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other';
  return { path, type, sizeBytes: stats.size, modifiedAt: stats.mtime.toISOString() };
}

/** The record of the file or folder at a path, for the handlers that change it. */
export async function recordOf(entry: string, path: string): Promise<JsonObject> {
  return described(path, await stat(entry));
}
