import { expect, test } from 'vitest';
import { jsonBeginning, textBeginning } from './json-beginning.ts';

const beginning = (value: unknown, maxBytes: number): unknown =>
  jsonBeginning(Buffer.from(JSON.stringify(value)), maxBytes);

test.each<[string, unknown, number, unknown]>([
  ['items that are whole', [1, 23, 45], 7, [1, 23, '[cut: the rest]']],
  ['members that are whole', { a: 1, b: 'xyz' }, 12, { a: 1, '[cut]': 'the rest' }],
  [
    'what is open at each level',
    [{ a: [1, 2, 3] }, 4],
    11,
    [{ a: [1, 2, '[cut: the rest]'], '[cut]': 'the rest' }, '[cut: the rest]'],
  ],
  ['nothing of a text that is cut', ['a', ',"],"\\', 'b'], 12, ['a', '[cut: the rest]']],
  ['no signs within texts', [',[{', '}],', 1], 14, [',[{', '}],', '[cut: the rest]']],
  ['only its size, if nothing is whole', ['a'.repeat(100)], 10, '[cut: 104 bytes]'],
])('keeps %s', (_name, value, maxBytes, kept) => {
  expect(beginning(value, maxBytes)).toEqual(kept);
});

test.each(['aé一😀', '\n"\\', '\u0001\u001f', 'a\\', '\\u12'])(
  'keeps the first characters of a text: %j',
  (part) => {
    const text = part.repeat(40);
    const json = Buffer.from(JSON.stringify(text));
    const lengths = Array.from({ length: 100 }, (_, length) => length);
    expect(lengths.map((length) => textBeginning(json, length))).toEqual(
      lengths.map((length) => text.slice(0, length)),
    );
    expect(textBeginning(json, 1_000)).toBe(text);
  },
);
