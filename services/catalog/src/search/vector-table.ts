import { setImmediate as nextTurn } from 'node:timers/promises';
import { similarity } from './vectors.ts';
import type { Vector } from './vectors.ts';
import type { WordVectors } from './word-vectors.ts';

/** Numbers of items that are processed before other calls get a turn: about a millisecond of work. */
const FILLED_A_TURN = 50;
const COMPARED_A_TURN = 10_000;

/** The vectors of the items in an index. */
export interface VectorTable {
  /** Similarity of the query and each item, by item index, from -1 to 1. */
  compare(query: Vector): Promise<Float64Array>;
}

/** Creates a table that is filled at first use. */
export function createVectorTable(texts: () => readonly string[], vectors: WordVectors): VectorTable {
  let filled: Promise<Int8Array> | undefined;

  async function fill(): Promise<Int8Array> {
    const found = texts();
    const table = new Int8Array(found.length * vectors.dimensions);
    for (const [at, text] of found.entries()) {
      if (at % FILLED_A_TURN === FILLED_A_TURN - 1) await nextTurn();
      table.set(vectors.ofText(text), at * vectors.dimensions);
    }
    return table;
  }

  return {
    async compare(query) {
      const table = await (filled ??= fill());
      const found = new Float64Array(table.length / vectors.dimensions);
      for (let at = 0; at < found.length; at += 1) {
        if (at % COMPARED_A_TURN === COMPARED_A_TURN - 1) await nextTurn();
        found[at] = similarity(query, table, at * vectors.dimensions);
      }
      return found;
    },
  };
}
