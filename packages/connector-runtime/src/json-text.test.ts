import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@fairlead/connector-model/json';
import { valueAt } from './json-pointer.ts';
import { itemTexts, textAt } from './json-text.ts';

const parse = (text: string): Json => JSON.parse(text) as Json;

describe('the text at a pointer', () => {
  const text =
    ' {"a" : [ {"b":1.50} , 12345678901234567890,"]}\\"," ], "x/y":{"~":-1e400}, "":[], "a\\u0062": null , "n":1,"n": {} } ';

  it.each([
    ['', text.trim()],
    ['/a/0', '{"b":1.50}'],
    ['/a/0/b', '1.50'],
    ['/a/1', '12345678901234567890'],
    ['/a/2', '"]}\\","'],
    ['/x~1y/~0', '-1e400'],
    ['/', '[]'],
    ['/ab', 'null'],
    ['/n', '{}'],
    ['/a/3', undefined],
    ['/a/01', undefined],
    ['/a/length', undefined],
    ['/ab/c', undefined],
    ['/n/constructor', undefined],
  ])('%j is as it was sent', (pointer, expected) => {
    expect(textAt(text, pointer)).toBe(expected);
  });

  it('is the text of the value there, of every document', () => {
    const document = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const sent = JSON.stringify(value, null, space);
        const parsed = parse(sent);
        for (const pointer of pointersOf(parsed)) {
          const found = textAt(sent, pointer);
          expect(found === undefined ? undefined : parse(found)).toEqual(valueAt(parsed, pointer));
        }
        expect(itemTexts(`[${sent},${sent}]`).map(parse)).toEqual([parsed, parsed]);
      }),
      { seed: 1 },
    );
  });
});

/** Pointers to every part of a value, and to some parts that do not exist. */
function pointersOf(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return ['', '/0', '/a'];
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return pointersOf(member).map((pointer) => `/${token}${pointer}`);
  });
  return ['', '/none', '/99', ...inner];
}
