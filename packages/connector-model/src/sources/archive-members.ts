import { open } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { createGunzip, inflateRawSync } from 'node:zlib';

const TAR_BLOCK = 512;
const ZIP_END = 0x06_05_4b_50;
const ZIP_ENTRY = 0x02_01_4b_50;
const ZIP_END_BYTES = 22;
const ZIP_ENTRY_BYTES = 46;
const ZIP_LOCAL_BYTES = 30;
const MAX_ZIP_COMMENT = 65_535;
const STORED = 0;

/** The wanted files (`isWanted`) of a package archive (a wheel, or an npm tarball), by their paths in the package. */
export function readMembers(
  archive: string,
  registry: 'npm' | 'pypi',
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  return registry === 'npm' ? readTarball(archive, isWanted) : readWheel(archive, isWanted);
}

/** A tarball may have hundreds of megabytes, so it is read as a stream. All files are below one folder, usually `package/`. */
async function readTarball(
  archive: string,
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let rest: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the current file, including its padding. */
  let toSkip = 0;
  let current: { path: string; size: number; parts: Buffer[]; has: number } | undefined;
  for await (const chunk of createReadStream(archive).pipe(createGunzip())) {
    // The chunks are buffers, because no encoding is set.
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      if (current !== undefined) {
        const part = rest.subarray(0, current.size - current.has);
        current.parts.push(part);
        current.has += part.length;
        rest = rest.subarray(part.length);
        if (current.has < current.size) break;
        found.set(current.path, Buffer.concat(current.parts));
        toSkip = (TAR_BLOCK - (current.size % TAR_BLOCK)) % TAR_BLOCK;
        current = undefined;
      }
      const skipped = Math.min(toSkip, rest.length);
      rest = rest.subarray(skipped);
      toSkip -= skipped;
      if (toSkip > 0 || rest.length < TAR_BLOCK) break;
      const { path, size, isFile } = tarHeader(rest.subarray(0, TAR_BLOCK));
      rest = rest.subarray(TAR_BLOCK);
      if (isFile && isWanted(path)) current = { path, size, parts: [], has: 0 };
      else toSkip = Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    }
  }
  return found;
}

/**
 * The header of POSIX.1-1988 ustar, which `npm pack` writes. A longer path would need an extra header; such files are
 * not found.
 */
function tarHeader(block: Buffer): { path: string; size: number; isFile: boolean } {
  const text = (from: number, length: number): string =>
    block.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const prefix = text(345, 155);
  const path = `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`;
  return {
    path: path.slice(path.indexOf('/') + 1),
    size: Number.parseInt(text(124, 12).trim() || '0', 8),
    isFile: ['0', ''].includes(text(156, 1)),
  };
}

/** Source: APPNOTE.TXT sections 4.3.7, 4.3.12 and 4.3.16. */
async function readWheel(
  archive: string,
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, Buffer>> {
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    const read = async (position: number, length: number): Promise<Buffer> =>
      (await file.read({ buffer: Buffer.alloc(length), position })).buffer;
    const tailBytes = Math.min(size, ZIP_END_BYTES + MAX_ZIP_COMMENT);
    const tail = await read(size - tailBytes, tailBytes);
    let end = tail.length - ZIP_END_BYTES;
    while (end >= 0 && tail.readUInt32LE(end) !== ZIP_END) end -= 1;
    if (end < 0) throw new Error('The wheel is not a zip archive.');
    const directory = await read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    const found = new Map<string, Buffer>();
    for (let at = 0; at + ZIP_ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ZIP_ENTRY;) {
      const nameBytes = directory.readUInt16LE(at + 28);
      const nameStart = at + ZIP_ENTRY_BYTES;
      const path = directory.toString('utf8', nameStart, nameStart + nameBytes);
      if (isWanted(path)) {
        const local = directory.readUInt32LE(at + 42);
        const header = await read(local, ZIP_LOCAL_BYTES);
        const start = local + ZIP_LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
        const data = await read(start, directory.readUInt32LE(at + 20));
        found.set(path, directory.readUInt16LE(at + 10) === STORED ? data : inflateRawSync(data));
      }
      at = nameStart + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    }
    return found;
  } finally {
    await file.close();
  }
}
