/** A sorted stream of distinct ids. */
export type IdStream = AsyncIterable<string>;

/** The order of the streams: whether one id comes before another. */
type Precedes = (a: string, b: string) => boolean;

/** Merges two streams. */
export async function* mergeStreams(
  one: IdStream,
  other: IdStream,
  precedes: Precedes,
): AsyncGenerator<string> {
  const [a, b] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()];
  try {
    let [nextA, nextB] = await Promise.all([a.next(), b.next()]);
    while (nextA.done !== true || nextB.done !== true) {
      if (nextB.done === true || (nextA.done !== true && precedes(nextA.value, nextB.value))) {
        if (nextA.done !== true) yield nextA.value;
        nextA = await a.next();
      } else {
        yield nextB.value;
        nextB = await b.next();
      }
    }
  } finally {
    await Promise.all([a.return?.(), b.return?.()]);
  }
}

/** The ids of a stream that are not in another one with the same order. */
export async function* without(
  ids: IdStream,
  excluded: IdStream,
  precedes: Precedes,
): AsyncGenerator<string> {
  const rest = excluded[Symbol.asyncIterator]();
  try {
    let next = await rest.next();
    for await (const id of ids) {
      while (next.done !== true && precedes(next.value, id)) next = await rest.next();
      if (next.done === true || next.value !== id) yield id;
    }
  } finally {
    await rest.return?.();
  }
}

/** The ids of a stream from the zero-based `offset` on, at most `top`. */
export async function pageOfStream(
  ids: IdStream,
  { offset, top }: { readonly offset: number; readonly top: number },
): Promise<readonly string[]> {
  const page: string[] = [];
  let index = 0;
  for await (const id of ids) {
    if (index >= offset) page.push(id);
    if (page.length === top) break;
    index += 1;
  }
  return page;
}
