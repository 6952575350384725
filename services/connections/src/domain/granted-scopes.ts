import { createTextMasker } from '@fairlead/connector-runtime/secret-masking';

const MAX_SCOPES = 200;
const MAX_CHARACTERS = 256;

/**
 * The scopes that a vendor granted, as stored and displayed: without duplicates, `secrets` masked, well-formed text. Overlong scopes, and
 * those beyond the maximum number, are omitted.
 */
export function keptScopes(scopes: readonly string[], secrets: readonly string[]): readonly string[] {
  const mask = createTextMasker(secrets);
  const short = scopes
    .map((scope) => mask(scope).toWellFormed())
    .filter(({ length }) => length <= MAX_CHARACTERS);
  return [...new Set(short)].slice(0, MAX_SCOPES);
}
