// Shorter pieces of base64 occur in ordinary text.
const MIN_BASE64_PIECE = 8;

/**
 * Returns the forms in which a request carries a secret or a vendor repeats it: as it is, percent- and form-encoded,
 * escaped in JSON, and in base64 (both alphabets, also percent-encoded) at any position in the encoded text, such as
 * after the user name of Basic authentication. Each form appears once, in no particular order.
 */
export function secretForms(secret: string): string[] {
  // A lone surrogate cannot be percent-encoded.
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

/**
 * The whole encoding, and for each of the three byte alignments the characters that encode only bytes of the secret.
 */
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
