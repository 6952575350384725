/** The place of an item in a LinkedList. */
export interface ListEntry<T> {
  readonly item: T;
  /** The next entry; undefined if this is the last one, or was removed. */
  readonly next: ListEntry<T> | undefined;
}

interface Node<T> extends ListEntry<T> {
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  isListed: boolean;
}

/**
 * Items in the order of addition, each of which can be removed in constant time. It replaces a Set for items that
 * come and go with every request. A Set replaces its table again and again as items are deleted, and V8 links each
 * old table, with its former items, to the next one. When one of these tables reaches the old generation, it keeps
 * all later ones and their items alive until a major collection; meanwhile, minor collections copy all requests,
 * which has taken half of a process's time.
 */
export class LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an item at the end. */
  add(item: T): ListEntry<T> {
    const node: Node<T> = { item, previous: undefined, next: undefined, isListed: false };
    this.#append(node);
    return node;
  }

  /** Moves an entry to the end; no effect if it was removed. */
  moveToEnd(entry: ListEntry<T>): void {
    if (this.remove(entry)) this.#append(entry as Node<T>);
  }

  /** Removes an entry of this list; false if it was removed before. */
  remove(entry: ListEntry<T>): boolean {
    const node = entry as Node<T>; // `add` has no other entries
    if (!node.isListed) return false;
    const { previous, next } = node;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    // A removed entry must not keep its item or neighbours alive.
    node.previous = undefined;
    node.next = undefined;
    node.isListed = false;
    this.#size -= 1;
    return true;
  }

  get first(): ListEntry<T> | undefined {
    return this.#first;
  }

  /** From the first to the last. */
  toArray(): T[] {
    const items: T[] = [];
    for (let node = this.#first; node !== undefined; node = node.next) items.push(node.item);
    return items;
  }

  #append(node: Node<T>): void {
    node.previous = this.#last;
    node.isListed = true;
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    this.#size += 1;
  }
}
