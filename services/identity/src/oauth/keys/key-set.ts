import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { Secret } from '@fairlead/service-kit/secret';

/** One generation of keys, unsealed. */
export interface KeyGeneration {
  readonly generation: number;
  readonly kid: string;
  readonly privateJwk: Secret<JWK>;
  readonly publicKey: KeyObject;
  readonly cookieKey: Secret;
  readonly createdAt: Date;
  readonly signsFrom: Date;
}

/** The roles of the keys at one moment. */
export interface KeySet {
  /** Signs tokens and cookies. */
  readonly active: KeyGeneration;
  /** Keys published and accepted for tokens: the active one first, the next one, and those with tokens that may still be valid. */
  readonly published: readonly KeyGeneration[];
  /** Keys accepted for cookies, the signing one first. */
  readonly cookieKeys: readonly Secret[];
}

/** How long a key is published before it signs, so that clients that cache the published keys get it in time. */
export const PUBLISH_AHEAD_MS = 10 * 60_000;
/** How long a key stays published after the next one has begun to sign: longer than its tokens are valid. */
export const RETIRE_AFTER_MS = 60 * 60_000;
/** How long a key is kept after the next one has begun to sign, for the cookies that it signed: as long as a session lasts. */
export const KEEP_AFTER_MS = 8 * 24 * 60 * 60_000;

/** The roles of the generations at `now`. Throws if no generation may sign yet. */
export function keySetAt(generations: readonly KeyGeneration[], now: Date): KeySet {
  const newestFirst = [...generations].sort((a, b) => b.generation - a.generation);
  const isSigning = ({ signsFrom }: KeyGeneration): boolean => signsFrom <= now;
  const active = newestFirst.find(isSigning);
  if (active === undefined) throw new Error('No key may sign yet.');
  const others = newestFirst.filter((other) => other !== active);
  const isPublished = (key: KeyGeneration): boolean => {
    const successor = newestFirst.find(({ generation }) => generation === key.generation + 1);
    return (
      !isSigning(key) ||
      successor === undefined ||
      successor.signsFrom.getTime() + RETIRE_AFTER_MS > now.getTime()
    );
  };
  return {
    active,
    published: [active, ...others.filter(isPublished)],
    // Also accepts cookies of the next key, because another replica's clock may be ahead.
    cookieKeys: [active, ...others].map(({ cookieKey }) => cookieKey),
  };
}

/** Whether the key sets result in the same provider. */
export function isSameKeySet(a: KeySet, b: KeySet): boolean {
  const namesOf = ({ published, cookieKeys }: KeySet): string =>
    [...published.map(({ kid }) => kid), cookieKeys.length].join(' ');
  return namesOf(a) === namesOf(b);
}
