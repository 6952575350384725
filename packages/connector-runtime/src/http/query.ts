import { CallFailure } from '../failure.ts';

/** Maximum length of a request's URL, in characters. */
const MAX_URL_LENGTH = 64 * 1024;

/** A query parameter. */
export type QueryPair = readonly [name: string, value: string];

/**
 * Adds query parameters to `url`, in order. Linear in their size; URLSearchParams.append rewrites the whole URL each
 * time. Throws CallFailure if the result is longer than MAX_URL_LENGTH.
 */
export function addQuery(url: URL, pairs: Iterable<QueryPair>): void {
  const query = new URLSearchParams(url.search);
  let { length } = url.href;
  let isChanged = false;
  for (const [name, value] of pairs) {
    // Encoding never shortens a text, so a URL that is too long is detected before all of it is built.
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
