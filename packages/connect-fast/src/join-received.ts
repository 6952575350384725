/**
 * Joins a body's chunks in one buffer. Their memory is released at once, so they are empty afterwards: garbage brings
 * the next collection nearer, which costs the main thread more than the body does.
 */
export function joinReceived(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = Buffer.concat(chunks);
  for (const { buffer, byteLength } of chunks)
    // Not a view of a buffer that other code uses.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  return whole;
}
