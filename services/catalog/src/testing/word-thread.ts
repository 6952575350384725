import type { WorkThread } from '@fairlead/service-kit/threads/work-thread';
import { DIMENSIONS, toVector } from '../search/vectors.ts';

/** A fake model thread: the similarity of texts is the share of common words. */
export interface WordThread extends WorkThread<readonly string[], Int8Array<ArrayBuffer>> {
  /** The texts of each run, in order. */
  readonly jobs: (readonly string[])[];
  /** Each run waits for this promise before it answers. */
  gate: Promise<void>;
}

/** Creates a thread; `meanings` maps words to synonyms. */
export function createWordThread(meanings: Readonly<Record<string, string>> = {}): WordThread {
  const places = new Map<string, number>();
  const placeOf = (word: string): number => {
    const place = places.get(word) ?? places.size;
    places.set(word, place);
    return place;
  };
  const thread: WordThread = {
    jobs: [],
    gate: Promise.resolve(),
    async run(_accountId, texts) {
      thread.jobs.push(texts);
      await thread.gate;
      const answer = new Int8Array(texts.length * DIMENSIONS);
      for (const [at, text] of texts.entries()) {
        const values = Array.from({ length: DIMENSIONS }, () => 0);
        for (const [word] of text.toLowerCase().matchAll(/\w+/g)) values[placeOf(meanings[word] ?? word)] = 1;
        answer.set(toVector(values), at * DIMENSIONS);
      }
      return { answer, cpuMs: 7 };
    },
    async close() {},
  };
  return thread;
}
