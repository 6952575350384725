import { expect, test } from 'vitest';
import { membersOf, objectOfMembers } from './json-members.ts';
import { LazyJson } from './lazy-json.ts';

const LARGE = ' '.repeat(16 * 1024);

test('an object is the JSON of its members, of which none is parsed', () => {
  const members = membersOf({ a: 'é', b: [1, null], c: new LazyJson(Buffer.from('[no JSON')) });
  expect(Object.entries(members).map(([name, json]) => [name, Buffer.from(json).toString()])).toEqual([
    ['a', '"é"'],
    ['b', '[1,null]'],
    ['c', '[no JSON'],
  ]);
});

test('small members are parsed at once, large ones are not', () => {
  const large = Buffer.from(`[no JSON${LARGE}`);
  const text = Buffer.from(`"no JSON${LARGE}`);
  const members = { a: Buffer.from('{"b":[1]}'), text, large };
  const object = objectOfMembers(members, 'fields');
  expect(object).toEqual({ a: { b: [1] }, text: new LazyJson(text), large: new LazyJson(large) });
  expect(membersOf(object)).toEqual(members);
});

test('the members of an object that nobody has parsed are those of its JSON', () => {
  expect(membersOf(new LazyJson(Buffer.from('{"a":[1]}')))).toEqual({ a: Buffer.from('[1]') });
});

test('even a member named __proto__ is one', () => {
  const members = membersOf(JSON.parse('{"__proto__":[1],"b":2}') as object as Record<string, number>);
  const object = objectOfMembers(members, 'fields');
  expect(JSON.stringify(object)).toBe('{"__proto__":[1],"b":2}');
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

test.each(['[no JSON', '', '"a" 1'])('a member that is %s is refused by its name', (text) => {
  expect(() => objectOfMembers({ a: Buffer.from(text) }, 'fields')).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields.a', issue: 'must be JSON in UTF-8' }],
    }),
  );
});
