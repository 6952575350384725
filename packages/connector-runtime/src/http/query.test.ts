import { expect, it, vi } from 'vitest';
import { addQuery } from './query.ts';
import type { QueryPair } from './query.ts';

const HREF = 'http://vendor.example/things?a=1';

it('adds parameters after those of the address, repeated ones too', () => {
  const url = new URL(HREF);
  addQuery(url, [
    ['a', 'x y'],
    ['ü', '&'],
    ['a', '2'],
  ]);
  expect(url.href).toBe(`${HREF}&a=x+y&%C3%BC=%26&a=2`);
});

it('leaves an address as it is without parameters', () => {
  const url = new URL('http://vendor.example/things?a=%20');
  addQuery(url, []);
  expect(url.href).toBe('http://vendor.example/things?a=%20');
});

it('takes parameters only as long as the address is within its limit', () => {
  let taken = 0;
  function* endless(): Generator<QueryPair> {
    for (;;) {
      taken += 1;
      yield ['name', 'value'];
    }
  }
  expect(() => addQuery(new URL(HREF), endless())).toThrow('at most 65536 characters');
  expect(taken).toBeLessThan(65_536 / 'name=value'.length + 1);
});

it('refuses an address that only its encoding makes too long', () => {
  expect(() => addQuery(new URL(HREF), [['a', 'ü'.repeat(20_000)]])).toThrow('at most 65536 characters');
});

it('writes the address once, however many parameters it takes', () => {
  const url = new URL(HREF);
  const written = vi.spyOn(url, 'search', 'set');
  addQuery(
    url,
    Array.from({ length: 15_000 }, (): QueryPair => ['a', '1']),
  );
  expect(written).toHaveBeenCalledOnce();
  expect(url.searchParams.size).toBe(15_001);
});
