import { expect, it } from 'vitest';
import { nextLink } from './paging.ts';

const BASE = new URL('https://api.example.com/v1/things?page=1');

it.each([
  ['<https://api.example.com/v1/things?page=2>; rel="next"', 'https://api.example.com/v1/things?page=2'],
  ['<?page=0>; rel=prev, <?page=2>; rel=next', 'https://api.example.com/v1/things?page=2'],
  [
    '<?page=9>; rel="last"; title="a, <b>; rel=next", </x,y;z>; title="t"; REL="prefetch Next"',
    'https://api.example.com/x,y;z',
  ],
  ['<?page=2>; rel="last"', undefined],
  ['<?page=2>', undefined],
  ['', undefined],
  [undefined, undefined],
])('finds the next page in %j', (header, expected) => {
  expect(nextLink(header, BASE)?.href).toBe(expected);
});
