import { describe, expect, it } from 'vitest';
import { hookFiringKey, hookPayload } from './hook-call.ts';
import type { HookCall } from './hook-call.ts';

const payloadText = (o: Partial<HookCall>): string =>
  Buffer.from(
    hookPayload({ method: 'POST', headers: [], query: '', body: new Uint8Array(), ...o }),
  ).toString();
const bodyOf = (body: string | Uint8Array): unknown =>
  Reflect.get(Object(JSON.parse(payloadText({ body: Buffer.from(body) }))), 'body');

describe('the payload of a call', () => {
  it('holds JSON as it was sent, to the byte', () => {
    const body = Buffer.from(' {"n":12345678901234567890,"n":1.0, "é":"\\u00e9"}\n');
    expect(payloadText({ body })).toBe(
      `{"method":"POST","headers":{},"query":{},"body": {"n":12345678901234567890,"n":1.0, "é":"\\u00e9"}\n}`,
    );
  });

  it('holds other text as a string, nothing as null, and other bytes in base64', () => {
    expect(bodyOf('a=1&b=2')).toBe('a=1&b=2');
    expect(bodyOf('{"a":')).toBe('{"a":');
    expect(bodyOf('\uFEFF{}')).toBe('\uFEFF{}');
    expect(bodyOf('')).toBeNull();
    expect(bodyOf('null')).toBeNull();
    expect(bodyOf(Uint8Array.of(0xff, 0xfe, 0))).toEqual({ base64: '//4A' });
  });

  it('shows headers in lower case, repeated ones joined, and no credential', () => {
    const shown = ['X-One', '1', 'x-one', '2', '__proto__', 'p'];
    const headers = [...shown, 'Authorization', 'Bearer s', 'COOKIE', 's=1'];
    const text = payloadText({ headers });
    expect(text).not.toContain('Bearer');
    expect(text).toContain('"headers":{"x-one":"1, 2","__proto__":"p"}');
  });

  it('shows query parameters by name, repeated ones as a list', () => {
    expect(JSON.parse(payloadText({ query: 'a=1&b=%C3%A9&a=2&a=3&c' }))).toMatchObject({
      query: { a: ['1', '2', '3'], b: 'é', c: '' },
    });
  });
});

it('the key of a firing is the same for the same key only, and does not show it', () => {
  expect(hookFiringKey('secret')).toBe(hookFiringKey('secret'));
  expect(hookFiringKey('secret')).not.toBe(hookFiringKey('other'));
  expect(hookFiringKey('secret')).not.toContain('secret');
});
