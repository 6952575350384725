const ROOT = 0;
/** The factor of a hash of 32 bits, by the golden ratio. */
const HASH_FACTOR = 0x9e_37_79_b1;

/**
 * Finds many byte strings at once (Aho and Corasick), in one pass whose cost depends on the text alone. Bytes are fed
 * one by one, so that texts can be decoded on the way.
 */
export class SecretMatcher {
  /** Edges of the tree of secrets, as an open hash table: node and byte → node. */
  readonly #keys: Int32Array;
  readonly #targets: Int32Array;
  /** The edges of the root by byte, where most of a text is. */
  readonly #first = new Int32Array(256);
  readonly #shift: number;
  /** For each node the one of its longest suffix that is in the tree. */
  readonly #fallbacks: Int32Array;
  /** For each node the length of the longest secret that ends there; 0: none. */
  readonly #lengths: Int32Array;
  #nodes = 1;

  /** `secrets` are not empty. */
  constructor(secrets: readonly Uint8Array[]) {
    const total = secrets.reduce((sum, { length }) => sum + length, 1);
    const bits = Math.max(4, Math.ceil(Math.log2(total)) + 1);
    this.#shift = 32 - bits;
    this.#keys = new Int32Array(2 ** bits).fill(-1);
    this.#targets = new Int32Array(2 ** bits);
    this.#fallbacks = new Int32Array(total);
    this.#lengths = new Int32Array(total);
    const parents: number[] = [ROOT];
    const bytes: number[] = [0];
    const levels: number[][] = [];
    for (const secret of secrets) {
      let node = ROOT;
      for (const [depth, byte] of secret.entries()) {
        let next = this.#edge(node, byte);
        if (next === ROOT) {
          next = this.#nodes;
          this.#nodes += 1;
          this.#addEdge(node, byte, next);
          parents[next] = node;
          bytes[next] = byte;
          (levels[depth] ??= []).push(next);
        }
        node = next;
      }
      this.#lengths[node] = secret.length;
    }
    for (const node of levels.slice(1).flat()) {
      const fallback = this.step(this.#fallbacks[parents[node] ?? ROOT] ?? ROOT, bytes[node] ?? 0);
      this.#fallbacks[node] = fallback;
      if (this.#lengths[node] === 0) this.#lengths[node] = this.#lengths[fallback] ?? 0;
    }
  }

  /** The state after one more byte; the first state is 0. */
  step(state: number, byte: number): number {
    for (let node = state; node !== ROOT; node = this.#fallbacks[node] ?? ROOT) {
      const next = this.#edge(node, byte);
      if (next !== ROOT) return next;
    }
    return this.#first[byte] ?? ROOT;
  }

  /** The length of the longest secret that ends in this state; 0: none. */
  lengthAt(state: number): number {
    return this.#lengths[state] ?? 0;
  }

  /** The node at the end of an edge; ROOT: there is no such edge. */
  #edge(node: number, byte: number): number {
    const slot = this.#slot((node << 8) | byte);
    return this.#keys[slot] === -1 ? ROOT : (this.#targets[slot] ?? ROOT);
  }

  #addEdge(node: number, byte: number, target: number): void {
    const key = (node << 8) | byte;
    const slot = this.#slot(key);
    this.#keys[slot] = key;
    this.#targets[slot] = target;
    if (node === ROOT) this.#first[byte] = target;
  }

  /** The slot of a key, or the free one where it belongs. */
  #slot(key: number): number {
    let slot = Math.imul(key, HASH_FACTOR) >>> this.#shift;
    while (this.#keys[slot] !== key && this.#keys[slot] !== -1) slot = (slot + 1) & (this.#keys.length - 1);
    return slot;
  }
}
