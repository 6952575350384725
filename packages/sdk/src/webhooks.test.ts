import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './fairlead.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const body = JSON.stringify({ id: 'te_1', type: 'schedule', payload: { city: 'Tromsø' } });
const sentAt = 1_790_000_000;
const at = (seconds: number): Date => new Date(seconds * 1000);

/** The header as another implementation of the same scheme creates it. */
const sign = (payload = body, timestamp = sentAt): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

describe('verifyWebhook', () => {
  it.each([
    ['text', body],
    ['a Buffer', Buffer.from(body)],
    ['bytes', new TextEncoder().encode(body)],
  ])('returns the event of a body that is %s', (_, rawBody) => {
    const event = verifyWebhook(rawBody, sign(), secret, { toleranceSeconds: 300, now: at(sentAt) });
    expect(event).toEqual({ id: 'te_1', type: 'schedule', payload: { city: 'Tromsø' } });
  });

  it('compares with the present time by default', () => {
    const now = Math.floor(Date.now() / 1000);
    expect(verifyWebhook(body, sign(body, now), secret).id).toBe('te_1');
    expect(() => verifyWebhook(body, sign(body, now - 400), secret)).toThrow(WebhookVerificationError);
    expect(verifyWebhook(body, sign(body, now - 400), secret, { toleranceSeconds: 600 }).id).toBe('te_1');
  });

  it.each([300, -300])(
    'accepts a time that differs by exactly the tolerance, and no more: %i s',
    (difference) => {
      const verify = (now: number) => () => verifyWebhook(body, sign(), secret, { now: at(now) });
      expect(verify(sentAt + difference)).not.toThrow();
      expect(verify(sentAt + difference + Math.sign(difference))).toThrow(/differs by more than 300 seconds/);
    },
  );

  const hmac = sign().replace(/^t=\d+,v1=/, '');
  it.each([
    ['one signature of several matches', `t=${sentAt},v1=${'0'.repeat(64)},v1=${hmac}`],
    ['there are members of later schemes', `v2=abc,t=${sentAt},v1=${hmac},v0=${'0'.repeat(64)}`],
    ['it comes as the only entry of a list', [`t=${sentAt},v1=${hmac}`]],
  ])('accepts a header if %s', (_, header) => {
    expect(verifyWebhook(body, header, secret, { now: at(sentAt) }).id).toBe('te_1');
  });

  it.each([
    ['none', undefined],
    ['null', null],
    ['an empty one', ''],
    ['no time', `v1=${hmac}`],
    ['two times', `t=${sentAt},t=${sentAt + 1},v1=${hmac}`],
    ['a header sent twice', [`t=${sentAt},v1=${hmac}`, `t=${sentAt},v1=${hmac}`]],
    ['a time that is no number', `t=1.79e9,v1=${hmac}`],
    ['no signature', `t=${sentAt}`],
    ['another scheme only', `t=${sentAt},v2=${hmac}`],
    ['half a signature', `t=${sentAt},v1=${hmac.slice(0, 32)}`],
    ['a signature that is no hex', `t=${sentAt},v1=${'z'.repeat(64)}`],
  ])('refuses a header that is malformed: %s', (_, header) => {
    expect(() => verifyWebhook(body, header, secret, { now: at(sentAt) })).toThrow(
      new WebhookVerificationError('The fairlead-signature header is missing or malformed.'),
    );
  });

  it.each([
    ['another body', `${body} `, sign(), secret],
    ['another time', body, sign().replace(String(sentAt), String(sentAt + 1)), secret],
    ['another secret', body, sign(), `${secret}A`],
  ])('refuses a signature of %s', (_, rawBody, header, receiver) => {
    expect(() => verifyWebhook(rawBody, header, receiver, { now: at(sentAt) })).toThrow(
      new WebhookVerificationError('The signature does not match the body and the secret.'),
    );
  });

  it('refuses a signed body that is no JSON', () => {
    expect(() => verifyWebhook('{', sign('{'), secret, { now: at(sentAt) })).toThrow(
      WebhookVerificationError,
    );
  });

  it('tells a programmer of a parsed body, an empty secret and a wrong tolerance', () => {
    const parsed = JSON.parse(body) as string;
    expect(() => verifyWebhook(parsed, sign(), secret)).toThrow(/needs the raw body/);
    expect(() => verifyWebhook(body, sign(), '')).toThrow(/secret is empty/);
    const options = { toleranceSeconds: Number.NaN, now: at(sentAt) };
    expect(() => verifyWebhook(body, sign(), secret, options)).toThrow(/no number of seconds/);
  });
});
