import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from './signature-headers.ts';
import { newSigningSecret } from './signing-secret.ts';
import { VERIFIERS } from './testing/verifiers.ts';

const text = '{"id":"te_1","payload":{"name":"Ærø ✓","big":12345678901234567890}}';
const body = Buffer.from(text);

const signed = (secret: Secret, sentAt = new Date()): Record<string, string> => ({
  ...signatureHeaders({ secret, eventId: 'te_1', sentAt, body }),
});

describe.each(Object.entries(VERIFIERS))('%s', (_, verify) => {
  const secret = newSigningSecret();

  it('verifies a delivery', () => {
    expect(() => verify(secret.reveal(), signed(secret), body)).not.toThrow();
  });

  it.each([
    ['a changed byte', /signature/i, { bytes: Buffer.from(text.replace('Ærø', 'Aro')) }],
    ['another secret', /signature/i, { secret: newSigningSecret() }],
    ['a signature of six minutes ago', /time/i, { sentAt: new Date(Date.now() - 360_000) }],
  ])('refuses %s', (__, reason, change) => {
    const headers = signed(secret, 'sentAt' in change ? change.sentAt : undefined);
    const receiver = 'secret' in change ? change.secret : secret;
    expect(() => verify(receiver.reveal(), headers, 'bytes' in change ? change.bytes : body)).toThrow(reason);
  });
});

// Computed with openssl: `printf '%s' "$t.$body" | openssl dgst -sha256 -hmac "$secret"`; the other signature with -mac HMAC -macopt
// hexkey:….
it('the headers of a known delivery are these', () => {
  const secret = new Secret('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=');
  const sentAt = new Date(1_790_000_000_999);
  expect(signatureHeaders({ secret, eventId: 'te_known', sentAt, body: Buffer.from('{"a":1}') })).toEqual({
    'fairlead-signature': 't=1790000000,v1=0f2741d5ead30b3c2cecc9fdbf2b742aac5eec80791a9ef6de68df3b9b059fa7',
    'webhook-id': 'te_known',
    'webhook-timestamp': '1790000000',
    'webhook-signature': 'v1,/eECjzGXm/BNgtqKm84L6IXbnJrIclPoCWJryRLT5O8=',
  });
});

it('two secrets differ, and a text of another form is refused', () => {
  expect(newSigningSecret().reveal()).not.toBe(newSigningSecret().reveal());
  expect(newSigningSecret().reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  for (const text of ['', 'whsec_', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'whsec_AAEC']) {
    const delivery = { secret: new Secret(text), eventId: 'te_1', sentAt: new Date(), body };
    expect(() => signatureHeaders(delivery)).toThrow('not a signing secret');
  }
});
