import { LinkedList } from './linked-list.ts';
import type { ListEntry } from './linked-list.ts';

/** The result of an offer: `taken` removes the item; the others leave it and say which item is offered next. */
export type OfferAnswer = 'taken' | 'nextItem' | 'nextKey' | 'stop';

/** The items of one key. */
interface Line<T> {
  readonly key: string;
  readonly items: LinkedList<QueueItem<T>>;
  bytes: number;
}

interface QueueItem<T> {
  readonly item: T;
  readonly bytes: number;
  readonly turn: ListEntry<Line<T>>;
}

/** The place of an item in a FairQueue. */
export type QueueEntry<T> = ListEntry<QueueItem<T>>;

/**
 * Waiting items: first come, first served within a key (such as an account), with the keys taking turns. Adding,
 * removing and taking an item takes constant time. A key without items occupies no memory.
 */
export class FairQueue<T> {
  readonly #byKey = new Map<string, ListEntry<Line<T>>>();
  /** In the order of their turns. No key's list is empty. */
  readonly #turns = new LinkedList<Line<T>>();
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The keys that have items, in the order of their turns. */
  keys(): readonly string[] {
    return this.#turns.toArray().map(({ key }) => key);
  }

  sizeOf(key: string): number {
    return this.#byKey.get(key)?.item.items.size ?? 0;
  }

  bytesOf(key: string): number {
    return this.#byKey.get(key)?.item.bytes ?? 0;
  }

  /** Adds an item at the end of its key's list; a new key has its turn after the others. */
  add(key: string, item: T, bytes = 0): QueueEntry<T> {
    let turn = this.#byKey.get(key);
    if (turn === undefined) {
      turn = this.#turns.add({ key, items: new LinkedList(), bytes: 0 });
      this.#byKey.set(key, turn);
    }
    this.#count(turn.item, 1, bytes);
    return turn.item.items.add({ item, bytes, turn });
  }

  /** Removes an item; false if it is no longer in the queue. */
  remove(entry: QueueEntry<T>): boolean {
    const { turn, bytes } = entry.item;
    const line = turn.item;
    if (!line.items.remove(entry)) return false;
    this.#count(line, -1, -bytes);
    if (line.items.size === 0) {
      this.#turns.remove(turn);
      this.#byKey.delete(line.key);
    }
    return true;
  }

  /**
   * Offers the first item of each key in turn, until each key has refused or is empty, or `take` returns `stop`.
   * After `nextItem`, the key's next item is offered. A key from which an item was taken has its next turn after the
   * others. `take` must not change the queue.
   */
  offer(take: (item: T) => OfferAnswer): void {
    let turn = this.#turns.first;
    while (turn !== undefined) {
      const { item: line, next } = turn;
      const answer = this.#offerLine(turn, take);
      if (answer === 'stop') return;
      // With a single key, the order does not change.
      const hasTurn = answer === 'taken' && line.items.size > 0;
      turn = next ?? (hasTurn ? turn : undefined);
    }
  }

  /** Takes out everything. */
  drain(): readonly T[] {
    const items: T[] = [];
    this.offer((item) => {
      items.push(item);
      return 'taken';
    });
    return items;
  }

  #offerLine(turn: ListEntry<Line<T>>, take: (item: T) => OfferAnswer): OfferAnswer {
    for (let entry = turn.item.items.first; entry !== undefined; entry = entry.next) {
      const answer = take(entry.item.item);
      if (answer === 'nextItem') continue;
      if (answer === 'taken') {
        this.#turns.moveToEnd(turn);
        this.remove(entry);
      }
      return answer;
    }
    return 'nextKey';
  }

  #count(line: Line<T>, items: number, bytes: number): void {
    line.bytes += bytes;
    this.#bytes += bytes;
    this.#size += items;
  }
}
