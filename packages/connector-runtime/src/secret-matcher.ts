const ROOT = 0;
/** Multiplier of a 32-bit Fibonacci hash. */
const HASH_FACTOR = 0x9e_37_79_b1;

/**
 * Finds many byte strings in one pass (Aho–Corasick). The cost depends on the text alone. Bytes are passed one at a
 * time, so texts can be decoded on the fly.
 */
export class SecretMatcher {
  /** Edges of the trie, as an open hash table: (node, byte) → node. */
  readonly #keys: Int32Array;
  readonly #targets: Int32Array;
  /** The root's edges by byte, in a table of their own because most bytes of a text are looked up here. */
  readonly #first = new Int32Array(256);
  readonly #shift: number;
  /** For each node, the node of its longest proper suffix in the trie. */
  readonly #fallbacks: Int32Array;
  /** For each node, the length of the longest secret that ends there; 0: none. */
  readonly #lengths: Int32Array;
  #nodes = 1;

  /** `secrets` must not contain an empty string. */
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

  /** The next state after `byte`; the initial state is 0. */
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

  /** The node at the end of an edge; ROOT: no such edge. */
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

  /** The slot of a key, or the free slot where it would be inserted. */
  #slot(key: number): number {
    let slot = Math.imul(key, HASH_FACTOR) >>> this.#shift;
    while (this.#keys[slot] !== key && this.#keys[slot] !== -1) slot = (slot + 1) & (this.#keys.length - 1);
    return slot;
  }
}
