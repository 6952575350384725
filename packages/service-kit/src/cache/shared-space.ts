/** A value in a shared space. */
interface Entry<V> {
  readonly owner: string;
  readonly bytes: number;
  readonly value: V;
}

/**
 * Values of several owners within a total number of bytes. An owner may use only a share, so that it cannot evict all
 * others' values.
 */
export class SharedSpace<V> {
  readonly #limits: { readonly bytes: number; readonly bytesPerOwner: number };
  readonly #onLeft: (key: string) => void;
  /** The least recently used value comes first. */
  readonly #entries = new Map<string, Entry<V>>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /** `onLeft` is called with the key of each value that is evicted, or finds no room. */
  constructor(
    limits: { readonly bytes: number; readonly bytesPerOwner: number },
    onLeft: (key: string) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#onLeft = onLeft;
  }

  /** The value; marks it as used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Keeps a value unless it exceeds its owner's share. Evicts the owner's least recently used values first, then
   * those of all.
   */
  set(key: string, entry: Entry<V>): void {
    this.#delete(key);
    const { bytes, bytesPerOwner } = this.#limits;
    const { owner } = entry;
    if (entry.bytes > bytesPerOwner) {
      this.#onLeft(key);
      return;
    }
    this.#entries.set(key, entry);
    this.#count(entry, entry.bytes);
    for (const [other, { owner: otherOwner }] of this.#entries) {
      const isOwnerOver = (this.#bytesOf.get(owner) ?? 0) > bytesPerOwner;
      if (!isOwnerOver && this.#bytes <= bytes) return;
      if (isOwnerOver && otherOwner !== owner) continue;
      this.#delete(other);
      this.#onLeft(other);
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#count(entry, -entry.bytes);
  }

  #count({ owner }: Entry<V>, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#bytesOf.get(owner) ?? 0) + bytes;
    if (left > 0) this.#bytesOf.set(owner, left);
    else this.#bytesOf.delete(owner);
  }
}
