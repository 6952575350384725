import { CallFailure } from '../failure.ts';

/** The most characters of a request's address. */
const MAX_URL_LENGTH = 64 * 1024;

/** A query parameter. */
export type QueryPair = readonly [name: string, value: string];

/**
 * Adds parameters to the query of `url`, in their order. Linear in their size, unlike appending each to the URL, which
 * writes the whole address again every time. Throws CallFailure if the address is longer than MAX_URL_LENGTH.
 */
export function addQuery(url: URL, pairs: Iterable<QueryPair>): void {
  const query = new URLSearchParams(url.search);
  let { length } = url.href;
  let isChanged = false;
  for (const [name, value] of pairs) {
    // Encoding never shortens a text, so an address that is too long is noticed before all of it is built.
    length += name.length + value.length + 2;
    if (length > MAX_URL_LENGTH) throw tooLong();
    query.append(name, value);
    isChanged = true;
  }
  if (isChanged) url.search = query.toString();
  if (url.href.length > MAX_URL_LENGTH) throw tooLong();
}

function tooLong(): CallFailure {
  return new CallFailure(`The address of a request is at most ${MAX_URL_LENGTH} characters long.`);
}
