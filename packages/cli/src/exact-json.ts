declare global {
  // Node has both; TypeScript's library does not declare them yet.
  interface JSON {
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * JSON.parse that loses no digit: a number that JSON.stringify would write differently is an opaque value, which
 * JSON.stringify writes as it was. Throws as JSON.parse does.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactNumber(source) : value,
  );
}

/** A number with the digits of `text`, which must be a JSON number. */
export function exactNumber(text: string): unknown {
  const number = Number(text);
  return String(number) === text ? number : JSON.rawJSON(text);
}
