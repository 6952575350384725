// Shorter pieces of base64 occur in ordinary text.
const MIN_BASE64_PIECE = 8;

/**
 * What a secret looks like where a request carries it or a vendor repeats it: as it is, percent- and form-encoded, escaped in
 * JSON, and in base64 (both alphabets, percent-encoded too) wherever it stands in what was encoded, such as behind the
 * user name of Basic authentication. Each form once, in no order.
 */
export function secretForms(secret: string): string[] {
  // A lone surrogate cannot be percent-encoded as it stands.
  const percent = encodeURIComponent(secret.toWellFormed());
  const base64 = base64Forms(Buffer.from(secret));
  return [
    ...new Set([
      secret,
      percent,
      percent.replaceAll('%20', '+'),
      new URLSearchParams({ '': secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      ...base64,
      ...base64.map(encodeURIComponent),
    ]),
  ];
}

/** The whole, and for each of the three ways to stand among other bytes the characters that no other byte has a part in. */
function base64Forms(bytes: Buffer): string[] {
  const pieces = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    return padded.toString('base64').slice(first, Math.floor((padded.length * 8) / 6));
  });
  return [bytes.toString('base64'), ...pieces.filter((piece) => piece.length >= MIN_BASE64_PIECE)].flatMap(
    (form) => [form, form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')],
  );
}
