import { createHash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';

// In ASCII order, so that encoded ids sort like their numbers.
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SEQUENCE_LIMIT = 0x1000;

let lastMs = -1;
let sequence = 0;

const ID_BYTES = 16;
// Random bytes for the next ids, because a system call per id costs more than the rest of creating it.
const pool = Buffer.alloc(ID_BYTES * 128);
let poolOffset = pool.length;

function nextRandomBytes(): Buffer {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += ID_BYTES;
  return pool.subarray(poolOffset - ID_BYTES, poolOffset);
}

/**
 * A UUID of version 7 (RFC 9562): ids sort by creation time, and ids that one process creates in the same
 * millisecond sort in their order too (a 12-bit counter in rand_a, section 6.2 method 1).
 */
export function uuidv7(now: Date = new Date()): string {
  const ms = now.getTime();
  const bytes = nextRandomBytes();
  // Starting in the lower half leaves space for at least 2 048 ids per millisecond.
  sequence = ms === lastMs ? sequence + 1 : bytes.readUInt16BE(6) & 0x7ff;
  if (sequence >= SEQUENCE_LIMIT) sequence = 0;
  lastMs = ms;
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A random GUID (UUID version 4), for ids that must reveal neither order nor time. */
export function guid(): string {
  return randomUUID();
}

/** Whether `text` has the form of a GUID, of any version and case. */
export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/** `length` random base62 characters, each 5.95 bits of entropy, evenly distributed. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: higher bytes would favour the first characters.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** `<prefix>_` and 22 base62 characters that sort by creation time: `acc_02hV…`. */
export function prefixedId(prefix: string, now: Date = new Date()): string {
  return `${prefix}_${base62(uuidv7(now).replaceAll('-', ''))}`;
}

/** The boundary between ids that `prefixedId` creates before `time`, which are smaller, and later ones. */
export function firstPrefixedId(prefix: string, time: Date): string {
  const ms = Math.min(Math.max(0, time.getTime()), 2 ** 48 - 1);
  return `${prefix}_${base62(
    ms
      .toString(16)
      .padStart(12, '0')
      .padEnd(2 * ID_BYTES, '0'),
  )}`;
}

/** The time at which `prefixedId` created an id. */
export function timeOfPrefixedId(id: string): Date {
  let number = 0n;
  for (const character of id.slice(-LENGTH)) number = number * 62n + BigInt(BASE62.indexOf(character));
  return new Date(Number(number >> 80n));
}

/** An id in the form of `prefixedId` that depends on `source` only, so equal sources have equal ids everywhere. */
export function derivedId(prefix: string, source: string): string {
  return `${prefix}_${base62(
    createHash('sha256')
      .update(source)
      .digest('hex')
      .slice(0, 2 * ID_BYTES),
  )}`;
}

const LENGTH = 22;
// Number of digits converted at once, as many as a number holds exactly: divisions of big integers are the main cost
// of an id.
const DIGITS_AT_ONCE = 8;
const AT_ONCE = 62n ** BigInt(DIGITS_AT_ONCE);

/** Converts ID_BYTES in hex to LENGTH base62 characters. */
function base62(hex: string): string {
  let number = BigInt(`0x${hex}`);
  let text = '';
  while (text.length < LENGTH) {
    let digits = Number(number % AT_ONCE);
    number /= AT_ONCE;
    for (let i = 0; i < DIGITS_AT_ONCE && text.length < LENGTH; i += 1) {
      text = BASE62.charAt(digits % 62) + text;
      digits = Math.floor(digits / 62);
    }
  }
  return text;
}
