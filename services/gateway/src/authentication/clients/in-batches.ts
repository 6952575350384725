/** Calls at once; what arrives while they are under way goes into the next one. */
const CONCURRENCY = 2;

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A lookup of one key through `load`, which takes several and returns their values in the same order. While two calls of
 * `load` are under way, further keys wait, and then go into the next call together, at most `atMost`. A call that fails fails
 * for each of its keys and for all that wait: behind a source that does not answer, nobody waits longer than one call takes.
 */
export function inBatches<K, V>(
  atMost: number,
  load: (keys: readonly K[]) => Promise<readonly V[]>,
): (key: K) => Promise<V> {
  const waiting: Waiting<K, V>[] = [];
  let underWay = 0;

  async function run(batch: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const values = await load(batch.map(({ key }) => key));
      if (values.length !== batch.length) throw new Error('A lookup did not return one value for each key.');
      // As many as there are keys.
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as V);
    } catch (error) {
      for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
    } finally {
      underWay -= 1;
      runNext();
    }
  }

  function runNext(): void {
    if (underWay >= CONCURRENCY || waiting.length === 0) return;
    underWay += 1;
    void run(waiting.splice(0, atMost));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      runNext();
    });
}
