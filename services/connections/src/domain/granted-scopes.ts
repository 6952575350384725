import { createTextMasker } from '@fairlead/connector-runtime/secret-masking';

const MAX_SCOPES = 200;
const MAX_CHARACTERS = 256;

/**
 * The scopes that a vendor granted, as they are stored and shown: each once, `secrets` masked, in well-formed text. One
 * that is too long, and those beyond the most that are kept, are left out.
 */
export function keptScopes(scopes: readonly string[], secrets: readonly string[]): readonly string[] {
  const mask = createTextMasker(secrets);
  const short = scopes
    .map((scope) => mask(scope).toWellFormed())
    .filter(({ length }) => length <= MAX_CHARACTERS);
  return [...new Set(short)].slice(0, MAX_SCOPES);
}
