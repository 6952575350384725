/** Parses bytes that are known to be JSON, such as a slice of a body. */
export function jsonValue(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
}
