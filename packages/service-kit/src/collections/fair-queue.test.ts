import { expect, it, test } from 'vitest';
import { seededRandom } from '../testing/random.ts';
import { FairQueue } from './fair-queue.ts';
import type { OfferAnswer, QueueEntry } from './fair-queue.ts';

/** Items such as `a12`: key `a`, 12 bytes. */
function queueOf(...items: string[]) {
  const queue = new FairQueue<string>();
  const add = (item: string): QueueEntry<string> => queue.add(item.slice(0, 1), item, Number(item.slice(1)));
  return { queue, add, entries: items.map((item) => add(item)) };
}

it('offers the items of a key in order, and the keys in turn', () => {
  const { queue } = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  const taken: string[] = [];
  queue.offer((item) => (taken.push(item), 'taken'));
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect([queue.size, queue.bytes, queue.keys()]).toEqual([0, 0, []]);
});

it('a key that can have nothing holds up no other, and keeps its turn', () => {
  const { queue } = queueOf('a1', 'a2', 'b1', 'b2');
  const taken: string[] = [];
  queue.offer((item) => (item.startsWith('a') ? 'nextKey' : (taken.push(item), 'taken')));
  expect(taken).toEqual(['b1', 'b2']);
  expect(queue.drain()).toEqual(['a1', 'a2']);
});

it('an item that cannot be taken yet lets those behind it pass', () => {
  const { queue } = queueOf('a1', 'a2', 'a3', 'b1');
  const taken: string[] = [];
  queue.offer((item) => (item === 'a1' ? 'nextItem' : (taken.push(item), 'taken')));
  expect(taken).toEqual(['a2', 'b1', 'a3']);
  expect(queue.drain()).toEqual(['a1']);
});

it('after a stop nothing is offered, and the next offer begins with who is first then', () => {
  const { queue } = queueOf('a1', 'a2', 'b1', 'c1');
  const offered: string[] = [];
  for (let offers = 0; offers < 3; offers += 1) {
    let left = 1;
    queue.offer((item) => {
      offered.push(item);
      left -= 1;
      return left >= 0 ? 'taken' : 'stop';
    });
  }
  expect(offered).toEqual(['a1', 'b1', 'b1', 'c1', 'c1', 'a2']);
});

it('an item leaves once; an entry of a key that had none in between does not take the new ones out', () => {
  const { queue, add, entries } = queueOf('a1', 'b7');
  const [first] = entries;
  if (first === undefined) throw new Error('no entry');
  expect([queue.remove(first), queue.sizeOf('a'), queue.bytes]).toEqual([true, 0, 7]);
  add('a2');
  expect([queue.remove(first), queue.sizeOf('a'), queue.bytesOf('a')]).toEqual([false, 1, 2]);
  expect(queue.drain()).toEqual(['b7', 'a2']);
});

interface Item {
  readonly key: string;
  readonly bytes: number;
}

/** A reference implementation with arrays. */
class Model {
  #lines: { readonly key: string; items: Item[] }[] = [];

  get size(): number {
    return this.#items().length;
  }

  get bytes(): number {
    return sum(this.#items());
  }

  keys(): readonly string[] {
    return this.#lines.map(({ key }) => key);
  }

  sizeOf(key: string): number {
    return this.#items(key).length;
  }

  bytesOf(key: string): number {
    return sum(this.#items(key));
  }

  add(key: string, item: Item): Item {
    if (!this.keys().includes(key)) this.#lines.push({ key, items: [] });
    this.#lines.find((line) => line.key === key)?.items.push(item);
    return item;
  }

  remove(removed: Item): boolean {
    const isListed = this.#items().includes(removed);
    for (const line of this.#lines) line.items = line.items.filter((item) => item !== removed);
    this.#lines = this.#lines.filter(({ items }) => items.length > 0);
    return isListed;
  }

  offer(take: (item: Item) => OfferAnswer): void {
    const turns = [...this.#lines];
    for (let line = turns.shift(); line !== undefined; line = turns.shift()) {
      for (const item of line.items) {
        const answer = take(item);
        if (answer === 'stop') return;
        if (answer === 'nextKey') break;
        if (answer === 'nextItem') continue;
        this.#lines = [...this.#lines.filter((each) => each !== line), line];
        this.remove(item);
        if (line.items.length > 0) turns.push(line);
        break;
      }
    }
  }

  #items(of?: string): Item[] {
    return this.#lines.filter(({ key }) => key === (of ?? key)).flatMap(({ items }) => items);
  }
}

function sum(items: readonly Item[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}

/** All observable properties of a queue during random operations. */
function trace<E>(
  queue: Pick<Model, 'size' | 'bytes' | 'keys' | 'sizeOf' | 'bytesOf' | 'offer'> & {
    add(key: string, item: Item, bytes: number): E;
    remove(entry: E): boolean;
  },
  seed: number,
): unknown[] {
  const random = seededRandom(seed);
  const told: unknown[] = [];
  const entries: E[] = [];
  const offer = (answers: readonly [OfferAnswer, ...OfferAnswer[]]): void =>
    queue.offer((item) => {
      const answer = random.pick(answers);
      told.push(item, answer);
      return answer;
    });
  for (let step = 0; step < 400; step += 1) {
    const item = { key: `key ${random.below(6)}`, bytes: random.below(100) };
    if (random.chance(0.6)) entries.push(queue.add(item.key, item, item.bytes));
    // Many of them were already removed.
    const removed = entries[random.below(entries.length * 4)];
    if (removed !== undefined) told.push(queue.remove(removed));
    if (random.chance(0.2)) offer(['taken', 'taken', 'taken', 'nextItem', 'nextKey', 'stop']);
    told.push(queue.size, queue.bytes, queue.keys());
    told.push(queue.sizeOf(item.key), queue.bytesOf(item.key));
  }
  offer(['taken']);
  told.push(queue.size, queue.bytes, queue.keys());
  return told;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('does as arrays do, whatever comes (seed %i)', (seed) => {
  const told = trace(new FairQueue<Item>(), seed);
  expect(told).toEqual(trace(new Model(), seed));
  expect(told.slice(-3)).toEqual([0, 0, []]);
});
