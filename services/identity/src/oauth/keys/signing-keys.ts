import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/sealing/sealing';
import { Secret } from '@fairlead/service-kit/secret';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import { calculateJwkThumbprint } from 'jose';
import type { JWK } from 'jose';
import { SEALING_SCOPE, signingKeyBinding } from '../../storage/sealing-scope.ts';
import { OPERATION_LIMIT } from '../../storage/operation-limit.ts';
import { signingKeyCollection } from '../../storage/signing-key.collection.ts';
import type { SigningKeyDocument } from '../../storage/signing-key.collection.ts';
import { KEEP_AFTER_MS, PUBLISH_AHEAD_MS, isSameKeySet, keySetAt } from './key-set.ts';
import type { KeyGeneration, KeySet } from './key-set.ts';

/** The keys of the authorization server, shared by all replicas. */
export interface SigningKeys {
  /** The current roles of the keys, at most half a minute out of date. */
  current(): KeySet;
  /** The published keys, read from the database at most two seconds ago. */
  listPublished(): Promise<KeySet['published']>;
  /** The public key with that id. For an unknown id it queries the database, at most every two seconds. */
  findPublicKey(kid: string): Promise<KeyObject | undefined>;
  /**
   * Creates the next key and returns its id, unless a next key exists already. It is published at once and signs ten minutes later; tokens
   * signed by the old key stay valid until they expire.
   */
  rotate(): Promise<string>;
  /** Calls `listener` with each change. */
  onChange(listener: (keys: KeySet) => void): void;
  close(): Promise<void>;
}

const REFRESH_MS = 30_000;
/** Shortest time between two queries for unknown key ids, here and in the gateway, because anybody can send tokens with invented ids. */
const SEARCH_PAUSE_MS = 2_000;
const DAY_MS = 24 * 60 * 60_000;
const MODULUS_BITS = 2048;
const COOKIE_KEY_BYTES = 32;

const generateKeys = promisify(generateKeyPair);

/** Opens the keys, creates the first if there is none, and keeps them current until closed. Rotates by age. */
export async function openSigningKeys(o: {
  readonly store: MongoStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly rotationDays: number;
}): Promise<SigningKeys> {
  const collection = o.store.collection(signingKeyCollection);
  const listeners: ((keys: KeySet) => void)[] = [];
  const opened = new Map<number, KeyGeneration>();

  async function load(): Promise<readonly KeyGeneration[]> {
    const documents = await collection.find({}, OPERATION_LIMIT).sort({ _id: 1 }).toArray();
    return Promise.all(
      documents.map(async (document) => {
        const known = opened.get(document._id);
        if (known?.kid === document.kid) return known;
        const generation = await openGeneration(o.sealer, document);
        opened.set(document._id, generation);
        return generation;
      }),
    );
  }

  /** Stores the generation, unless another replica has already stored it. */
  async function add(generation: number, signsFrom: Date): Promise<void> {
    const now = o.clock.now();
    const document = await newGeneration(o.sealer, { generation, signsFrom, createdAt: now });
    try {
      await collection.insertOne(document);
    } catch (error) {
      if (isDuplicateKey(error)) return;
      throw error;
    }
    await collection.updateMany(
      { _id: { $lt: generation }, expiresAt: { $exists: false } },
      { $set: { expiresAt: new Date(signsFrom.getTime() + KEEP_AFTER_MS) } },
      OPERATION_LIMIT,
    );
    o.log.info({ kid: document.kid, generation, signsFrom }, 'a new signing key is published');
  }

  async function loadOrMake(): Promise<readonly KeyGeneration[]> {
    const existing = await load();
    if (existing.length > 0) return existing;
    // The first key's signing time is in the past, so that a replica whose clock is behind can sign, too.
    await add(1, new Date(0));
    return load();
  }

  let generations = await loadOrMake();
  let keys = keySetAt(generations, o.clock.now());
  let rotations = 0;
  let newestRead = 0;

  async function refresh(): Promise<void> {
    const read = (rotations += 1);
    const loaded = await loadOrMake();
    // Ignore this read: a later one has already finished, and may have newer keys.
    if (read < newestRead) return;
    newestRead = read;
    generations = loaded;
    const next = keySetAt(generations, o.clock.now());
    if (isSameKeySet(keys, next)) return;
    keys = next;
    for (const listener of listeners) listener(next);
  }

  function newest(): KeyGeneration {
    return generations.reduce((a, b) => (b.generation > a.generation ? b : a));
  }

  async function rotate(): Promise<string> {
    await refresh();
    const now = o.clock.now().getTime();
    const last = newest();
    if (last.signsFrom.getTime() <= now) await add(last.generation + 1, new Date(now + PUBLISH_AHEAD_MS));
    await refresh();
    return newest().kid;
  }

  const background = repeatInBackground({
    name: 'signing keys',
    everyMs: REFRESH_MS,
    log: o.log,
    async work() {
      await refresh();
      const ageMs = o.clock.now().getTime() - newest().createdAt.getTime();
      if (ageMs >= o.rotationDays * DAY_MS) await rotate();
    },
  });

  let searchedAt = Number.NEGATIVE_INFINITY;
  async function search(): Promise<void> {
    const now = performance.now();
    if (now - searchedAt < SEARCH_PAUSE_MS) return;
    searchedAt = now;
    await refresh();
  }
  const published = (kid: string): KeyObject | undefined =>
    keys.published.find((key) => key.kid === kid)?.publicKey;
  return {
    current: () => keys,
    async findPublicKey(kid) {
      const known = published(kid);
      if (known !== undefined) return known;
      await search();
      return published(kid);
    },
    async listPublished() {
      await search();
      return keys.published;
    },
    rotate,
    onChange: (listener) => void listeners.push(listener),
    close: () => background.close(),
  };
}

interface SealedKeys {
  readonly privateJwk: JWK;
  readonly cookieKey: string;
}

async function newGeneration(
  sealer: Sealer,
  o: { readonly generation: number; readonly signsFrom: Date; readonly createdAt: Date },
): Promise<SigningKeyDocument> {
  const { privateKey } = await generateKeys('rsa', { modulusLength: MODULUS_BITS });
  const jwk: JWK = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
  const kid = await calculateJwkThumbprint(jwk);
  const keys: SealedKeys = {
    privateJwk: { ...jwk, kid },
    cookieKey: randomBytes(COOKIE_KEY_BYTES).toString('base64url'),
  };
  return {
    _id: o.generation,
    kid,
    sealed: await sealer.seal(SEALING_SCOPE, signingKeyBinding(o.generation), JSON.stringify(keys)),
    createdAt: o.createdAt,
    signsFrom: o.signsFrom,
  };
}

async function openGeneration(sealer: Sealer, document: SigningKeyDocument): Promise<KeyGeneration> {
  const text = await sealer.open(SEALING_SCOPE, signingKeyBinding(document._id), document.sealed);
  // Validated: newGeneration sealed this value.
  const { privateJwk, cookieKey } = JSON.parse(text.reveal()) as SealedKeys;
  return {
    generation: document._id,
    kid: document.kid,
    privateJwk: new Secret(privateJwk),
    publicKey: createPublicKey({ key: privateJwk, format: 'jwk' }),
    cookieKey: new Secret(cookieKey),
    createdAt: document.createdAt,
    signsFrom: document.signsFrom,
  };
}
