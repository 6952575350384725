import { crc32, createDeflateRaw } from 'node:zlib';

/** A file of an archive. */
export interface ZipEntry {
  /** ASCII. */
  readonly name: string;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<Uint8Array>;
}

const LOCAL = 0x0403_4b50;
const DESCRIPTOR = 0x0807_4b50;
const CENTRAL = 0x0201_4b50;
const END = 0x0605_4b50;
const VERSION = 20;
/** Sizes and checksum follow the content. */
const HAS_DESCRIPTOR = 0x0008;
const DEFLATE = 8;

/**
 * The bytes of a ZIP archive, generated while it is read: only one piece of a file is in memory. Each file, and the
 * archive, must be smaller than 4 GiB.
 */
export async function* zip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, modifiedAt, content } of entries) {
    const start = offset;
    const label = Buffer.from(name, 'ascii');
    const stamp = dosTime(modifiedAt);
    const header = Buffer.concat([
      record(
        4,
        LOCAL,
        2,
        VERSION,
        2,
        HAS_DESCRIPTOR,
        2,
        DEFLATE,
        4,
        stamp,
        4,
        0,
        4,
        0,
        4,
        0,
        2,
        label.length,
        2,
        0,
      ),
      label,
    ]);
    yield header;
    offset += header.length;

    const sum = { crc: 0, size: 0, compressed: 0 };
    for await (const chunk of deflateEntry(content, sum)) {
      sum.compressed += chunk.length;
      yield chunk;
    }
    const sizes = [4, sum.crc, 4, sum.compressed, 4, sum.size];
    const descriptor = record(4, DESCRIPTOR, ...sizes);
    yield descriptor;
    offset += sum.compressed + descriptor.length;
    directory.push(
      record(4, CENTRAL, 2, VERSION, 2, VERSION, 2, HAS_DESCRIPTOR, 2, DEFLATE, 4, stamp, ...sizes),
      record(2, label.length, 2, 0, 2, 0, 2, 0, 2, 0, 4, 0, 4, start),
      label,
    );
  }
  const central = Buffer.concat(directory);
  const count = directory.length / 3;
  yield central;
  yield record(4, END, 2, 0, 2, 0, 2, count, 2, count, 4, central.length, 4, offset, 2, 0);
}

async function* deflateEntry(
  content: AsyncIterable<Uint8Array>,
  sum: { crc: number; size: number },
): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw();
  const feeding = feed();
  try {
    for await (const chunk of deflate) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } finally {
    deflate.destroy();
    await feeding;
  }

  async function feed(): Promise<void> {
    try {
      for await (const chunk of content) {
        sum.crc = crc32(chunk, sum.crc);
        sum.size += chunk.length;
        if (deflate.destroyed) return;
        if (!deflate.write(chunk)) await drained();
      }
      deflate.end();
    } catch (error) {
      deflate.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        deflate.off('drain', done).off('close', done);
        resolve();
      };
      deflate.once('drain', done).once('close', done);
    });
  }
}

/** Encodes little-endian numbers, each preceded by its size in bytes. */
function record(...pairs: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const part = Buffer.alloc(pairs[at] ?? 0);
    part.writeUIntLE(pairs[at + 1] ?? 0, 0, part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** MS-DOS date and time in UTC, with a resolution of two seconds. */
function dosTime(date: Date): number {
  const day =
    (Math.max(0, date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return day * 0x1_0000 + time;
}
