import { randomInt } from 'node:crypto';

/** The shortest member: two quotes, a colon, a value and a separator before the next one. */
export const MIN_MEMBER_BYTES = 5;

/** A name counts once more for so many bytes of it. */
const NAME_BYTES = 64;

/** Beyond a thousand members the engine makes a table of each object. */
const WIDE_OBJECT = 1_000;

const BITMAP_BITS = 20;
/** A bit for each hash that a text has had; one text is scanned at a time. */
const bitmap = new Uint32Array(2 ** (BITMAP_BITS - 5));
/** Drawn for each process, so that nobody can prepare names whose hashes collide. */
const BYTE_HASHES = Uint32Array.from({ length: 256 }, () => randomInt(2 ** 32));
const FACTOR = randomInt(2 ** 31) * 2 + 1;

/**
 * Counts the different names in JSON text. A name counts again where other names stand before it in its object: a new order of names
 * is a new shape to the engine, and costs as much as a new name. Names are compared by hashes of those up to each in its object;
 * hashes that collide count once, so the count may be too low, never too high. A name that is spelled with other escapes is
 * another one. From the WIDE_OBJECT-th on, each name of an object counts: the engine shares no shape among such objects.
 */
export class NameCounter {
  count = 0;
  readonly #bytes: Uint8Array;
  /** Hash of the names so far, and their number, for each object that is open, by its depth. */
  readonly #hashes: Uint32Array;
  readonly #members: Uint32Array;

  /** `maxDepth`: the most levels of the text. */
  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#bytes = bytes;
    this.#hashes = new Uint32Array(maxDepth + 1);
    this.#members = new Uint32Array(maxDepth + 1);
    bitmap.fill(0);
  }

  /** An object opens. */
  open(depth: number): void {
    this.#hashes[depth] = 0;
    this.#members[depth] = 0;
  }

  /** Adds the name at these bytes to the object at `depth`. */
  add(start: number, end: number, depth: number): void {
    const members = (this.#members[depth] ?? 0) + 1;
    this.#members[depth] = members;
    let hash = this.#hashes[depth] ?? 0;
    for (let at = start; at < end; at += 1)
      hash = Math.imul(hash ^ (BYTE_HASHES[this.#bytes[at] ?? 0] ?? 0), FACTOR);
    // A product never moves a bit down; the names `ab`, `c` are not `a`, `bc`.
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
