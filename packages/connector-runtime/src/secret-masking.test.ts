import { expect, it } from 'vitest';
import { createTextMasker, maskCredential, maskSecrets } from './secret-masking.ts';
import { testCredential, testField, testMethod } from './testing/calls.ts';

it('masks every secret, longest first, in each form that requests carry it in', () => {
  expect(maskSecrets('a secret-long, a secret, p%20s%2Fs p+s%2Fs', ['secret', 'secret-long', 'p s/s'])).toBe(
    'a ***, a ***, *** ***',
  );
  expect(maskSecrets(String.raw`{"a":"se\"cret"}`, ['se"cret'])).toBe('{"a":"***"}');
  expect(maskSecrets(`x ${base64('secret')} Basic ${base64('me:secret')}`, ['secret'])).toBe(
    'x *** Basic ***',
  );
  expect(maskSecrets(`Basic ${base64('me:other')}`, ['secret'])).toBe(`Basic ${base64('me:other')}`);
});

it('masks a secret that begins or ends with white space where it is trimmed, too', () => {
  expect(maskSecrets('[key line\n] [key line] [ key line ]', [' key line\n'])).toBe('[***\n] [***] [ *** ]');
});

it('masks a secret that holds JSON escapes without them, too, and in every encoding of either', () => {
  const key = String.raw`-----BEGIN KEY-----\nAB\u002b\/C\"\\d\q\n-----END KEY-----\n`;
  const meant = '-----BEGIN KEY-----\nAB+/C"\\d\\q\n-----END KEY-----';
  for (const text of [
    key,
    meant,
    `${meant}\n`,
    JSON.stringify(meant),
    JSON.stringify(JSON.stringify(meant)),
    JSON.stringify(key),
    encodeURIComponent(meant),
    base64(`x${meant}y`),
    hex(meant),
  ])
    expect(
      readings(maskSecrets(`before ${text} after`, [key])).filter((reading) => reading.includes('KEY')),
      text,
    ).toEqual([]);
  // A lone backslash and an incomplete escape are not escapes.
  expect(maskSecrets(String.raw`c:\users \u12`, [String.raw`c:\users`, String.raw`\u12`])).toBe('*** ***');
});

it('masks a secret that was escaped twice without its escapes, but no white space for escapes of nothing else', () => {
  const key = 'AB"/ü\nCD';
  const once = JSON.stringify(key).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  for (const sent of [key, once, twice]) expect(maskSecrets(`a ${sent} b`, [twice])).toBe('a *** b');
  expect(maskSecrets('a\n\n\n\nb', [String.raw`\n\n\n\n`])).toBe('a\n\n\n\nb');
});

it('treats a secret as literal text, not as a pattern', () => {
  expect(maskSecrets(String.raw`a.*b axxb $& \ `, ['a.*b', '$&', ''])).toBe(String.raw`*** axxb *** \ `);
});

it('masks a short secret only as a word of its own', () => {
  expect(maskSecrets('a cat: pin 12, not 123', ['12', 'ca', ''])).toBe('a cat: pin ***, not 123');
});

it('masks secret fields by their descriptor and by their value, and the access token', () => {
  const method = testMethod(undefined, {
    fields: [
      testField('key', { isPassword: true }),
      testField('id', { maskInLogs: true }),
      testField('name'),
    ],
  });
  const credential = testCredential(
    { key: 'k', id: 'i', name: 'n', other: 's3cret' },
    { accessToken: 'token', secrets: ['s3cret'] },
  );
  expect(maskCredential(method, credential)).toMatchObject({
    fields: { key: '***', id: '***', name: 'n', other: '***' },
    accessToken: '***',
  });
});

const SECRETS = ['s3cret', 's3cr?t "key"/+ü~>\n', '100%25\\u0041', '🔑🔑', 'aaaa', 'x'.repeat(300)];

const hex = (text: string): string => Buffer.from(text).toString('hex');
const everyByte = (text: string, write: (byte: string) => string): string =>
  hex(text).replaceAll(/../g, (byte) => write(byte));
const everyUnit = (text: string, write: (unit: string) => string): string =>
  Array.from({ length: text.length }, (_value, index) =>
    write(text.charCodeAt(index).toString(16).padStart(4, '0')),
  ).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Encodings of a secret. Where an encoding would reveal the secret's borders, the surrounding text is encoded too. */
const ENCODINGS: Record<string, (secret: string, around: string) => string> = {
  plain: (secret) => secret,
  'percent-encoded': (secret) => encodeURIComponent(secret),
  'in a form': (secret) => new URLSearchParams({ secret }).toString(),
  'percent-encoded in every byte': (secret) => everyByte(secret, (byte) => `%${byte}`),
  'percent-encoded in upper case': (secret) => everyByte(secret, (byte) => `%${byte.toUpperCase()}`),
  'in JSON': (secret) => JSON.stringify({ secret }),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
  'in JSON with every character escaped': (secret) => everyUnit(secret, (unit) => `\\u${unit}`),
  'in JSON with escapes in upper case': (secret) => everyUnit(secret, (unit) => `\\u${unit.toUpperCase()}`),
  'in JSON with escaped slashes': (secret) => JSON.stringify(secret).replaceAll('/', String.raw`\/`),
  'in JSON in a URL': (secret) => encodeURIComponent(JSON.stringify(secret)),
  'in a URL in JSON': (secret) => everyUnit(encodeURIComponent(secret), (unit) => `\\u${unit}`),
  'in base64': (secret, around) => base64(`${around}${secret}${around}`),
  'in base64 without padding': (secret, around) => base64(`${around}${secret}`).replace(/=+$/, ''),
  'in wrapped base64': (secret, around) =>
    base64(`${around}${secret}${around}`).replaceAll(/.{5}/g, (line) => `${line}\r\n`),
  'in wrapped base64 in JSON': (secret, around) =>
    JSON.stringify(base64(`${around}${secret}${around}`).replaceAll(/.{5}/g, (line) => `${line}\n`)),
  'in base64url': (secret, around) => Buffer.from(`${around}${secret}${around}`).toString('base64url'),
  'in base64 in a URL': (secret, around) => encodeURIComponent(base64(`${around}${secret}${around}`)),
  'in base64 in JSON': (secret, around) => base64(`${around}${secret}`).replaceAll('/', String.raw`\/`),
  'in base64 in the middle of a word': (secret, around) => `${around}${base64(secret)}${around}`,
  'in Basic authentication': (secret, around) => `Basic ${base64(`${around}:${secret}`)}`,
  'in hex': (secret, around) => hex(`${around}${secret}${around}`),
  'in hex in upper case': (secret, around) => hex(`${around}${secret}`).toUpperCase(),
  'in hex in mixed case': (secret, around) =>
    hex(`${around}${secret}`).replaceAll(/./g, (digit, at: number) =>
      at % 2 === 0 ? digit : digit.toUpperCase(),
    ),
  'in hex after an odd digit': (secret) => `f${hex(secret)}`,
};

/** All texts that these decodings can produce, at every offset. */
function readings(text: string): string[] {
  const tolerant = (decode: () => string): string[] => {
    try {
      return [decode()];
    } catch {
      return [];
    }
  };
  const unescaped = tolerant(() => JSON.parse(`"${text.replaceAll(/(?<!\\)"/g, String.raw`\"`)}"`) as string);
  const texts = [text, ...unescaped].flatMap((each) => [each, ...tolerant(() => decodeURIComponent(each))]);
  return texts.flatMap((each) => [
    each,
    ...(each.match(/[A-Za-z0-9+/_-]+/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString()),
    ),
    ...(each.match(/[0-9A-Fa-f]+/g) ?? []).flatMap((run) =>
      [0, 1].map((skipped) => Buffer.from(run.slice(skipped), 'hex').toString()),
    ),
  ]);
}

it.each(Object.entries(ENCODINGS))(
  'masks every secret %s, wherever it is in what was encoded',
  (_name, encode) => {
    for (const secret of SECRETS) {
      for (const around of ['', 'k', 'ke', 'key', 'key=1; ']) {
        const text = `before ${encode(secret, around)} after`;
        const masked = maskSecrets(text, ['other-secret', secret]);
        expect(masked, text).toContain('***');
        expect(masked, text).toMatch(/^before .* after$/s);
        expect(
          readings(masked).filter((reading) => reading.includes(secret)),
          text,
        ).toEqual([]);
      }
    }
  },
);

it('changes no other text', () => {
  for (const text of [
    base64('nothing to see here'),
    hex('nothing to see here'),
    '%20\\u0020+\\',
    'ü🔑\ud800',
    '100%',
  ]) {
    expect(maskSecrets(text, ['s3cret', 'test', '🔑🔑'])).toBe(text);
  }
});

it('masks a whole text if the secrets are too large to look for', () => {
  const secrets = Array.from({ length: 70 }, (_value, index) => `${index}`.padEnd(1000, 'x'));
  expect(maskSecrets('anything', secrets)).toBe('***');
});

it.each([
  ['text that begins like a secret', 'a'.repeat(1_000_000), [`${'a'.repeat(1000)}b`]],
  [
    'many secrets',
    'secret-123 '.repeat(100_000),
    Array.from({ length: 4000 }, (_value, at) => `secret-${at * 7919}x`),
  ],
  [
    'many short secrets',
    'abc '.repeat(200_000),
    Array.from({ length: 900 }, (_value, at) => `a${at}`.slice(0, 3)),
  ],
  ['escapes', String.raw`\u0061\n`.repeat(100_000), ['aaaa\n']],
  ['percent-encoding', '%61%62'.repeat(100_000), ['abababac']],
  ['masks', 'aaaa '.repeat(200_000), ['aaaa']],
])('is linear in a text of %s: otherwise the test would not end in its time', (_name, text, secrets) => {
  expect(createTextMasker(secrets)(text)).not.toBe('');
});
