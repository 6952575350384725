import { randomInt } from 'node:crypto';

/** Bytes of the shortest member: two quotes, a colon, a value and a separator. */
export const MIN_MEMBER_BYTES = 5;

/** A name counts once more per this many bytes. */
const NAME_BYTES = 64;

/** Number of members from which the engine uses a separate table for each object. */
const WIDE_OBJECT = 1_000;

const BITMAP_BITS = 20;
/** A bit for each hash that occurred in the text; one text is scanned at a time. */
const bitmap = new Uint32Array(2 ** (BITMAP_BITS - 5));
/** A random seed per process, so that nobody can prepare names with colliding hashes. */
const BYTE_HASHES = Uint32Array.from({ length: 256 }, () => randomInt(2 ** 32));
const FACTOR = randomInt(2 ** 31) * 2 + 1;

/**
 * Counts the different names in a JSON text. A name counts again if other names precede it in its object, because a
 * new order of names is a new hidden class to the engine, which costs as much as a new name. Names are compared by a
 * hash of all names up to each; collisions count once, so the count may be too low but never too high. Another
 * escaping makes another name. From the WIDE_OBJECT-th on, each name of an object counts, because the engine shares
 * no hidden class among such objects.
 */
export class NameCounter {
  count = 0;
  readonly #bytes: Uint8Array;
  /** For each open object, by depth: the hash of its names so far, and their number. */
  readonly #hashes: Uint32Array;
  readonly #members: Uint32Array;

  /** `maxDepth`: the maximum depth of the text. */
  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#bytes = bytes;
    this.#hashes = new Uint32Array(maxDepth + 1);
    this.#members = new Uint32Array(maxDepth + 1);
    bitmap.fill(0);
  }

  /** Called at the start of an object. */
  open(depth: number): void {
    this.#hashes[depth] = 0;
    this.#members[depth] = 0;
  }

  /** Adds the name in these bytes to the object at `depth`. */
  add(start: number, end: number, depth: number): void {
    const members = (this.#members[depth] ?? 0) + 1;
    this.#members[depth] = members;
    let hash = this.#hashes[depth] ?? 0;
    for (let at = start; at < end; at += 1)
      hash = Math.imul(hash ^ (BYTE_HASHES[this.#bytes[at] ?? 0] ?? 0), FACTOR);
    // Shifts as well: a product never moves a bit down, so `ab`, `c` and `a`, `bc` could be equal.
    hash = Math.imul(hash ^ (hash >>> 15) ^ (end - start), FACTOR);
    hash ^= hash >>> 13;
    this.#hashes[depth] = hash;
    const bit = hash >>> (32 - BITMAP_BITS);
    const word = bitmap[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0 && members < WIDE_OBJECT) return;
    bitmap[bit >>> 5] = word | mask;
    this.count += 1 + Math.floor((end - start) / NAME_BYTES);
  }
}
