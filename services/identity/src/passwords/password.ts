import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '@fairlead/errors/api-error';
import type { Secret } from '@fairlead/service-kit/secret';
import pLimit from 'p-limit';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** Hashes at once: each takes 64 MiB and one of the process's four threads, which file access and DNS lookups also use. */
const bounded = boundWork({ concurrency: 2, waiting: 64 });
const argon2Promised = promisify(argon2);
const derive = (...args: Parameters<typeof argon2Promised>): Promise<Buffer> =>
  bounded(() => argon2Promised(...args));

/** RFC 9106's second recommended option: 64 MiB of memory, 3 passes, 4 lanes. */
const MEMORY_KIB = 65_536;
const PASSES = 3;
const PARALLELISM = 4;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A PHC string includes its salt and costs. */
async function hashPassword(password: Secret): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive('argon2id', {
    message: normalized(password),
    nonce,
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    tagLength: TAG_BYTES,
  });
  return phcString(nonce, tag);
}

const DECOY_HASH = phcString(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

async function verifyPassword(password: Secret, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    message: normalized(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** Hashes passwords by argon2id, as PHC strings. */
export const argon2Passwords: PasswordHasher = {
  hash: hashPassword,
  verify: verifyPassword,
  decoyHash: DECOY_HASH,
};

/** Normalized, because keyboards and browsers compose the same character differently (RFC 8265, section 4.2.2). */
function normalized(password: Secret): string {
  return password.reveal().normalize('NFC');
}

function phcString(nonce: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(nonce)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Runs at most `concurrency` tasks at once; `waiting` more wait in order, and further ones are refused with UNAVAILABLE. */
export function boundWork(o: {
  readonly concurrency: number;
  readonly waiting: number;
}): <R>(work: () => Promise<R>) => Promise<R> {
  const limit = pLimit(o.concurrency);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= o.concurrency + o.waiting) {
      throw new ApiError('UNAVAILABLE', 'The service is busy at the moment. Try again shortly.');
    }
    return await limit(work);
  };
}
