import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { NO_CAPABILITIES } from '../interaction/client-capabilities.ts';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';

/** A session's transport: HTTP+SSE of 2024-11-05, or Streamable HTTP. */
type SessionWire = 'sse' | 'streamable';

/** The server and user of a session. */
export interface SessionOwner {
  readonly serverId: string;
  /** The user; undefined: the client was not authenticated. */
  readonly userId: string | undefined;
}

/** The session owner. A session belongs to the user who began it; without a credential, to no user. */
export function ownerOf({
  serverId,
  caller,
}: {
  readonly serverId: string;
  readonly caller: Caller;
}): SessionOwner {
  return { serverId, userId: caller.kind === 'user' ? caller.userId : undefined };
}

/** A session with a verified id. */
export interface Session {
  /** The id, a secret by which the client names the session. */
  readonly id: string;
  /** SHA-256 of the id in base64url. It names the session where the id must not appear, because the id is a secret. */
  readonly key: string;
  readonly expiresAt: Date;
  /** The capabilities that the client declared when the session began, if the id contains them. */
  readonly capabilities: CapabilityBits;
}

/** Issues and verifies session ids. Nothing is stored: an id contains all data, and any replica can verify it. */
export interface SessionIds {
  issue(owner: SessionOwner, wire: SessionWire, capabilities?: CapabilityBits): Session;
  /** The session; undefined: the id is invalid, expired, or belongs to another server, user or transport. */
  verify(id: string, owner: SessionOwner, wire: SessionWire): Session | undefined;
}

const LIFETIME_MS = 24 * 60 * 60 * 1_000;
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 5;
/** The bytes after the random ones: the version of the rest, and the capabilities. Ids of former releases have neither. */
const CLIENT_BYTES = 3;
const CLIENT_VERSION = 1;
const CLIENT_AT = EXPIRY_BYTES + RANDOM_BYTES;
/** Maximum cached ids, of 600 bytes each. */
const MAX_VERIFIED = 10_000;
const SIGNING_DOMAIN = 'fairlead-mcp-session-v1';
const ID = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{28}|[A-Za-z0-9_-]{32})\.([A-Za-z0-9_-]{43})$/;

/**
 * Creates ids of the form `<key version>.<base64url of expiry, random bytes and the client's capabilities>.<base64url
 * of HMAC-SHA256>`. The signature also covers server, user and transport, which the id does not contain.
 */
export function createSessionIds(o: { readonly keys: KeyRing; readonly clock: Clock }): SessionIds {
  const keys = new Map<string, KeyObject>();
  for (const [version, key] of o.keys.keys) keys.set(version, createSecretKey(key.reveal()));
  // Verified ids with their owner: verifying a signature costs as much as the rest of a message's preparation.
  const verified = new Map<string, Session>();

  /** The signature; undefined: no key has this version. */
  const sign = (signed: string, owner: SessionOwner, wire: SessionWire): Buffer | undefined => {
    const key = keys.get(signed.slice(0, signed.indexOf('.')));
    if (key === undefined) return undefined;
    const text = JSON.stringify([SIGNING_DOMAIN, signed, wire, owner.serverId, owner.userId ?? null]);
    return createHmac('sha256', key).update(text).digest();
  };

  /** The session of an id with a valid signature, even if expired. */
  function signedSession(id: string, owner: SessionOwner, wire: SessionWire): Session | undefined {
    const [, version, payload, signature] = ID.exec(id) ?? [];
    if (version === undefined || payload === undefined || signature === undefined) return undefined;
    const mac = sign(`${version}.${payload}`, owner, wire);
    // The pattern guarantees equal lengths. The texts must be identical, because the id's digest is the session's
    // key.
    if (mac === undefined || !timingSafeEqual(Buffer.from(mac.toString('base64url')), Buffer.from(signature)))
      return undefined;
    const bytes = Buffer.from(payload, 'base64url');
    const expiresAt = new Date(bytes.readUIntBE(0, EXPIRY_BYTES) * 1_000);
    return { id, key: keyOf(id), expiresAt, capabilities: capabilitiesIn(bytes.subarray(CLIENT_AT)) };
  }

  return {
    issue(owner, wire, capabilities = NO_CAPABILITIES) {
      const expirySeconds = Math.floor((o.clock.now().getTime() + LIFETIME_MS) / 1_000);
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(expirySeconds, 0, EXPIRY_BYTES);
      const client = Buffer.alloc(CLIENT_BYTES, CLIENT_VERSION);
      client.writeUIntBE(capabilities, 1, CLIENT_BYTES - 1);
      const payload = Buffer.concat([expiry, randomBytes(RANDOM_BYTES), client]);
      const signed = `${o.keys.current}.${payload.toString('base64url')}`;
      const mac = sign(signed, owner, wire);
      if (mac === undefined) throw new Error(`The key ${o.keys.current} is not in its key ring.`);
      const id = `${signed}.${mac.toString('base64url')}`;
      return { id, key: keyOf(id), expiresAt: new Date(expirySeconds * 1_000), capabilities };
    },
    verify(id, owner, wire) {
      const name = JSON.stringify([id, wire, owner.serverId, owner.userId ?? null]);
      const known = verified.get(name);
      const session = known ?? signedSession(id, owner, wire);
      if (session === undefined || session.expiresAt <= o.clock.now()) return undefined;
      if (known === undefined) rememberRecent(verified, name, session, MAX_VERIFIED);
      return session;
    },
  };
}

/** When a session began. */
export function beganAt({ expiresAt }: Pick<Session, 'expiresAt'>): Date {
  return new Date(expiresAt.getTime() - LIFETIME_MS);
}

/** The capabilities; none if a newer release wrote them in an unknown form. */
function capabilitiesIn(client: Buffer): CapabilityBits {
  return client[0] === CLIENT_VERSION ? client.readUIntBE(1, CLIENT_BYTES - 1) : NO_CAPABILITIES;
}

function keyOf(id: string): string {
  return hash('sha256', id, 'base64url');
}
