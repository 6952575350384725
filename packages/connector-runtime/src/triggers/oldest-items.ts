import type { PolledItem } from './poll-cursor.ts';

/** An item with the bytes of its JSON. */
interface SizedItem {
  readonly named: Omit<PolledItem, 'payload'>;
  /** Empty if the item is too large to fire. */
  readonly payload: string;
  readonly bytes: number;
}

/** The oldest new items of a list whose newest item comes first, as many as one read holds. */
export class OldestItems {
  readonly #known: ReadonlySet<string>;
  readonly #limits: { readonly items: number; readonly bytes: number };
  /** In list order. */
  #items: SizedItem[] = [];
  #count = 0;
  #bytes = 0;
  #isCut = false;

  /** `known`: the keys of items that are not new. */
  constructor(known: ReadonlySet<string>, limits: { readonly items: number; readonly bytes: number }) {
    this.#known = known;
    this.#limits = limits;
  }

  /** Whether newer items were left out. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The items, the oldest first. */
  get oldestFirst(): readonly SizedItem[] {
    return this.#items.toReversed();
  }

  clear(): void {
    this.#items = [];
    this.#count = 0;
    this.#bytes = 0;
    this.#isCut = false;
  }

  /** Adds the next older item, for which newer ones make room. */
  add(named: SizedItem['named'], payload: string): void {
    const bytes = Buffer.byteLength(payload);
    const item = { named, bytes, payload: bytes > this.#limits.bytes ? '' : payload };
    this.#items.push(item);
    this.#countItem(item, 1);
    while (this.#count > this.#limits.items || this.#bytes > this.#limits.bytes) {
      const newest = this.#items.shift();
      if (newest === undefined) return;
      this.#countItem(newest, -1);
      this.#isCut = true;
    }
  }

  #countItem({ named, payload }: SizedItem, by: 1 | -1): void {
    if (this.#known.has(named.key)) return;
    this.#count += by;
    this.#bytes += by * Buffer.byteLength(payload);
  }
}
