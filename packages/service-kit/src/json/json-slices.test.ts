import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { arraySlices, objectSlices } from './json-slices.ts';

const valueOf = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString());
const texts = (slices: ReadonlyMap<string, Uint8Array> | undefined) =>
  slices && Object.fromEntries([...slices].map(([name, json]) => [name, Buffer.from(json).toString()]));

test('each member keeps its text, whatever space and brackets are around and in it', () => {
  const json = ' { "a" : 1.50e+2 ,"b":[ {"c":"]}"} , 2 ], "d":"x\\"y,}" ,"e\\u0041": null,"":{} , "n":-0 } ';
  expect(texts(objectSlices(Buffer.from(json)))).toEqual({
    a: '1.50e+2',
    b: '[ {"c":"]}"} , 2 ]',
    d: '"x\\"y,}"',
    eA: 'null',
    '': '{}',
    n: '-0',
  });
  expect(
    arraySlices(Buffer.from('[ 1 ,[2,3], "a]" ,{} ]'))?.map((item) => Buffer.from(item).toString()),
  ).toEqual(['1', '[2,3]', '"a]"', '{}']);
  expect([arraySlices(Buffer.from('[]')), objectSlices(Buffer.from('{}'))?.size]).toEqual([[], 0]);
});

test('the last member of a name counts, and a value of another kind is none', () => {
  expect(texts(objectSlices(Buffer.from('{"a":1,"a":2}')))).toEqual({ a: '2' });
  for (const json of ['[]', '1', '"{"', 'null']) expect(objectSlices(Buffer.from(json))).toBeUndefined();
  for (const json of ['{}', '1', '"["', 'null']) expect(arraySlices(Buffer.from(json))).toBeUndefined();
});

test('the parts of any JSON are those that JSON.parse gives', () => {
  const indent = fc.constantFrom(undefined, 2, '\t');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), indent, (object, space) => {
      const slices = objectSlices(Buffer.from(JSON.stringify(object, undefined, space)));
      const values = [...(slices ?? [])].map(([name, json]): [string, unknown] => [name, valueOf(json)]);
      expect(Object.fromEntries(values)).toEqual(JSON.parse(JSON.stringify(object)));
    }),
    { seed: 1 },
  );
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), indent, (array, space) => {
      const slices = arraySlices(Buffer.from(JSON.stringify(array, undefined, space)));
      expect(slices?.map(valueOf)).toEqual(JSON.parse(JSON.stringify(array)));
    }),
    { seed: 2 },
  );
});
