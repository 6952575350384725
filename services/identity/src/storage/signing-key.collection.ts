import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';

/** One generation of the keys that sign tokens and cookies. */
export interface SigningKeyDocument {
  /** Number of the generation, from 1: two replicas that rotate at once create only one. */
  readonly _id: number;
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  /** The private key as a JWK and the cookie key, as JSON. */
  readonly sealed: SealedValue;
  readonly createdAt: Date;
  /** When it starts to sign; before that, it is only published. */
  readonly signsFrom: Date;
  /** When nothing signed by it can still be valid; set when the next generation is created. */
  readonly expiresAt?: Date;
}

/** The generations of keys. */
export const signingKeyCollection = defineCollection<SigningKeyDocument>({
  name: 'oauth_signing_keys',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
