import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { z } from 'zod';
import type { FileUrls } from '../ports/files.ts';

/** Lifetime of an address. Source: row completion.applications-and-tools.67. */
const VALID_MS = 15 * 60 * 1_000;
/** Derives separate keys for addresses, because the given keys have other uses, too. */
const PURPOSE = 'fairlead.file-url.v1';

/** Addresses of files, and what they give access to. */
export interface SignedUrls extends FileUrls {
  /** The account of the file to which a token gives access; undefined if it is invalid for this file, or expired. */
  accountOf(fileId: string, token: string, now: Date): string | undefined;
}

const payloadForm = z.tuple([z.string(), z.number()]);

/**
 * Signs addresses of files below `publicUrl` with the current key; all keys verify. A token is `<key>.<payload>.<HMAC-SHA256>`; its payload
 * has the account and the expiry.
 */
export function createSignedUrls({
  publicUrl,
  keys,
}: {
  readonly publicUrl: string;
  readonly keys: KeyRing;
}): SignedUrls {
  const derived = new Map(
    [...keys.keys].map(([version, key]) => [
      version,
      createHmac('sha256', key.reveal()).update(PURPOSE).digest(),
    ]),
  );

  function mac(version: string, fileId: string, payload: string): Buffer | undefined {
    const key = derived.get(version);
    return key && createHmac('sha256', key).update(`${fileId}.${payload}`).digest();
  }

  return {
    urlOf(accountId, fileId, now) {
      const payload = Buffer.from(JSON.stringify([accountId, now.getTime() + VALID_MS])).toString(
        'base64url',
      );
      const signature = mac(keys.current, fileId, payload)?.toString('base64url') ?? '';
      return `${publicUrl}/v1/files/${fileId}/content?token=${keys.current}.${payload}.${signature}`;
    },

    accountOf(fileId, token, now) {
      const [version = '', payload = '', signature = ''] = token.split('.');
      const expected = mac(version, fileId, payload);
      const bytes = Buffer.from(signature, 'base64url');
      if (expected === undefined || bytes.length !== expected.length || !timingSafeEqual(bytes, expected))
        return undefined;
      const [accountId, expiresAtMs] = payloadForm.parse(
        JSON.parse(Buffer.from(payload, 'base64url').toString()),
      );
      return expiresAtMs > now.getTime() ? accountId : undefined;
    },
  };
}
