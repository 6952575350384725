import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder } from './embedder.ts';
import type { VectorStore } from './vector-store.ts';
import { DIMENSIONS, similarity, vectorKey } from './vectors.ts';
import type { Vector } from './vectors.ts';

/** Items that are processed before other calls get a turn: about a millisecond of work. */
const ITEMS_A_TURN = 2_000;

/** The vectors of the items in an index. */
export interface VectorTable {
  /** Requests the missing vectors; `owner` is the account that pays for them, or '' for the platform. */
  fill(owner: string): Promise<void>;
  /** Similarity of the query and each item, by item index: -1 to 1, or NaN for an item without a vector. */
  compare(query: Vector): Promise<Float64Array>;
}

/** Creates a table that is filled from the store at first use. */
export function createVectorTable(o: {
  readonly texts: () => readonly string[];
  readonly store: VectorStore;
  readonly embedder: Embedder;
}): VectorTable {
  let filled: Promise<void> | undefined;
  let texts: readonly string[] = [];
  let table: Int8Array = new Int8Array();
  const missing = new Set<number>();
  let reading: Promise<void> | undefined;

  async function readStore(): Promise<void> {
    await o.store.ready();
    texts = o.texts();
    table = new Int8Array(texts.length * DIMENSIONS);
    for (const [at, text] of texts.entries()) {
      if (at % ITEMS_A_TURN === ITEMS_A_TURN - 1) await nextTurn();
      const vector = o.store.get(vectorKey(text));
      if (vector === undefined) missing.add(at);
      else table.set(vector, at * DIMENSIONS);
    }
  }

  async function askForMissing(owner: string): Promise<void> {
    const places = [...missing];
    await o.embedder.embed(
      owner,
      places.map((at) => texts[at] ?? ''),
      (nth, vector) => {
        const at = places[nth] ?? 0;
        o.store.set(vectorKey(texts[at] ?? ''), vector);
        table.set(vector, at * DIMENSIONS);
        missing.delete(at);
      },
    );
    await o.store.save();
    reading = undefined;
  }

  return {
    async fill(owner) {
      await (filled ??= readStore());
      if (missing.size > 0) reading ??= askForMissing(owner);
    },
    async compare(query) {
      await (filled ??= readStore());
      const found = new Float64Array(texts.length);
      for (let at = 0; at < found.length; at += 1) {
        if (at % ITEMS_A_TURN === ITEMS_A_TURN - 1) await nextTurn();
        found[at] = missing.has(at) ? Number.NaN : similarity(query, table, at * DIMENSIONS);
      }
      return found;
    },
  };
}
