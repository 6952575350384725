import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { Secret } from '@fairlead/service-kit/secret';

/** One generation of keys, opened. */
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
  /** Published and accepted on tokens: the active key first, the next one, and those whose tokens may still be valid. */
  readonly published: readonly KeyGeneration[];
  /** Accepted on cookies, the one that signs first. */
  readonly cookieKeys: readonly Secret[];
}

/** How long a key is published before it signs, so that clients that cache the published keys have it in time. */
export const PUBLISH_AHEAD_MS = 10 * 60_000;
/** How long a key is published after the next one signs: longer than its tokens are valid. */
export const RETIRE_AFTER_MS = 60 * 60_000;
/** How long a key is kept after the next one signs, for the cookies that it signed: as long as a session lasts. */
export const KEEP_AFTER_MS = 8 * 24 * 60 * 60_000;

/** The roles of the generations at `now`. Throws if none signs yet. */
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
    // Includes the next one: another replica's clock may be ahead of this one's.
    cookieKeys: [active, ...others].map(({ cookieKey }) => cookieKey),
  };
}

/** Whether the key sets result in the same provider. */
export function isSameKeySet(a: KeySet, b: KeySet): boolean {
  const namesOf = ({ published, cookieKeys }: KeySet): string =>
    [...published.map(({ kid }) => kid), cookieKeys.length].join(' ');
  return namesOf(a) === namesOf(b);
}
