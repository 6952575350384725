/** What a secret of this platform looks like: API keys, client secrets, and tokens that are ids (completion.md "Names"). */
const SECRET = /\b(?:fairlead(?:_secret)?|mcp)_[0-9A-Za-z]{16,}/g;

/** `text` with every secret of ours as `hmac:` and what `fingerprint` makes of it. */
export async function maskSecrets(
  text: string,
  fingerprint: (secret: string) => Promise<string>,
): Promise<string> {
  const secrets = new Set(text.match(SECRET));
  let masked = text;
  for (const secret of secrets) masked = masked.replaceAll(secret, `hmac:${await fingerprint(secret)}`);
  return masked;
}
