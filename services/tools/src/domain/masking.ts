import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/json';
import type { Credential } from '@fairlead/connector-runtime/call';
import { MASK } from '@fairlead/connector-runtime/secret-masking';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { Masker } from '@fairlead/connector-runtime/value-masking';

/** All secrets of a credential, including the access token. */
export function secretsOf(credential: Credential): readonly string[] {
  return credential.accessToken === undefined
    ? credential.secrets
    : [...credential.secrets, credential.accessToken];
}

const ofCredentials = new WeakMap<Credential, Masker>();

/** A masker for a credential's secrets and further ones. A credential's own masker is created once. */
export function createCallMasker(credential: Credential, others: readonly string[]): Masker {
  if (others.length > 0) return createMasker([...secretsOf(credential), ...others]);
  const known = ofCredentials.get(credential) ?? createMasker(secretsOf(credential));
  ofCredentials.set(credential, known);
  return known;
}

/** Returns the masker if it knows all these secrets, otherwise creates one: that costs more than masking a small value. */
export function maskerOf(known: Masker, secrets: readonly string[]): Masker {
  // A set, because a schema may flag thousands of texts.
  const all = new Set(known.secrets);
  return secrets.every((secret) => all.has(secret)) ? known : createMasker(secrets);
}

/**
 * A masker for a connection whose secrets could not be read: masks all strings and numbers in values, because any may be a secret. Messages
 * stay, because they are Fairlead's own.
 */
export const maskEverything: Masker = {
  text: (value) => value,
  object(value) {
    const masked = {};
    for (const [name, member] of Object.entries(value)) setMember(masked, name, everything(member));
    return masked;
  },
  json: everything,
  secrets: [],
  unsureLength: 0,
};

function everything(value: Json): Json {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (typeof value !== 'object' || value === null) return value;
  return isJsonArray(value) ? value.map(everything) : maskEverything.object(value);
}
