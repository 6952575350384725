/** Calls of `load` in progress at once; keys that arrive meanwhile go into the next call. */
const CONCURRENCY = 2;

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns `load`, which looks up several keys and returns their values in the same order, into a lookup of one key. While two calls of `load`
 * are in progress, further keys wait and go into the next call together, at most `atMost`. If a call fails, it fails for its keys and for
 * all waiting keys: nobody waits longer than one call for a source that does not answer.
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
      // One value per key.
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
