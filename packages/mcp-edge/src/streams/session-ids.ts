import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { NO_CAPABILITIES } from '../interaction/client-capabilities.ts';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';

/** The wire of a session: HTTP+SSE of 2024-11-05, or Streamable HTTP. */
type SessionWire = 'sse' | 'streamable';

/** Server and user whose session it is. */
export interface SessionOwner {
  readonly serverId: string;
  /** Undefined: a client that was not authenticated. */
  readonly userId: string | undefined;
}

/** A session belongs to the user who began it; clients without a credential have none. */
export function ownerOf({
  serverId,
  caller,
}: {
  readonly serverId: string;
  readonly caller: Caller;
}): SessionOwner {
  return { serverId, userId: caller.kind === 'user' ? caller.userId : undefined };
}

/** A session whose id was verified. */
export interface Session {
  /** The secret by which its client names it. */
  readonly id: string;
  /** SHA-256 of its id in base64url: it names the session where the id, which is a secret, must not stand. */
  readonly key: string;
  readonly expiresAt: Date;
  /** The capabilities that its client declared when it began, if its id holds them. */
  readonly capabilities: CapabilityBits;
}

/** Issues and verifies session ids. Nothing is stored: an id holds all that is needed, and any replica verifies it. */
export interface SessionIds {
  issue(owner: SessionOwner, wire: SessionWire, capabilities?: CapabilityBits): Session;
  /** Undefined: the id is not one, has expired, or belongs to another server, user or wire. */
  verify(id: string, owner: SessionOwner, wire: SessionWire): Session | undefined;
}

const LIFETIME_MS = 24 * 60 * 60 * 1_000;
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 5;
/** After the random bytes: the version of the rest, and the capabilities. Ids of former releases have neither. */
const CLIENT_BYTES = 3;
const CLIENT_VERSION = 1;
const CLIENT_AT = EXPIRY_BYTES + RANDOM_BYTES;
/** Verified ids that are kept, 600 bytes each. */
const MAX_VERIFIED = 10_000;
const SIGNING_DOMAIN = 'fairlead-mcp-session-v1';
const ID = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{28}|[A-Za-z0-9_-]{32})\.([A-Za-z0-9_-]{43})$/;

/**
 * Ids of the form `<key version>.<base64url of expiry, random bytes and the client's capabilities>.<base64url of HMAC-SHA256>`. Server,
 * user and wire are part of what is signed, not of the id.
 */
export function createSessionIds(o: { readonly keys: KeyRing; readonly clock: Clock }): SessionIds {
  const keys = new Map<string, KeyObject>();
  for (const [version, key] of o.keys.keys) keys.set(version, createSecretKey(key.reveal()));
  // By all that an id holds for: its signature costs as much as all other preparation of a message.
  const verified = new Map<string, Session>();

  /** Undefined: no key has that version. */
  const sign = (signed: string, owner: SessionOwner, wire: SessionWire): Buffer | undefined => {
    const key = keys.get(signed.slice(0, signed.indexOf('.')));
    if (key === undefined) return undefined;
    const text = JSON.stringify([SIGNING_DOMAIN, signed, wire, owner.serverId, owner.userId ?? null]);
    return createHmac('sha256', key).update(text).digest();
  };

  /** The session of an id whose signature is ours, expired or not. */
  function signedSession(id: string, owner: SessionOwner, wire: SessionWire): Session | undefined {
    const [, version, payload, given] = ID.exec(id) ?? [];
    if (version === undefined || payload === undefined || given === undefined) return undefined;
    const mac = sign(`${version}.${payload}`, owner, wire);
    // The lengths are equal by the pattern; the text must be the very one that was issued, since its digest is the key.
    if (mac === undefined || !timingSafeEqual(Buffer.from(mac.toString('base64url')), Buffer.from(given)))
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

/** None if a release wrote them that this one does not know. */
function capabilitiesIn(client: Buffer): CapabilityBits {
  return client[0] === CLIENT_VERSION ? client.readUIntBE(1, CLIENT_BYTES - 1) : NO_CAPABILITIES;
}

function keyOf(id: string): string {
  return hash('sha256', id, 'base64url');
}
