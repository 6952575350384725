import { describe, expect, it } from 'vitest';
import { testConnector } from '../testing/connectors.ts';
import { contentHash } from './content-hash.ts';

describe('contentHash', () => {
  const connector = testConnector('crm', { categories: ['a', 'b'] });

  it('is the same for the same content in another order of members', () => {
    const reversed = Object.fromEntries(Object.entries(connector).toReversed());
    expect(contentHash({ ...connector, ...reversed })).toBe(contentHash(connector));
    expect(contentHash(JSON.parse(JSON.stringify(reversed)) as typeof connector)).toBe(
      contentHash(connector),
    );
  });

  it('is the same for an order of members within, and for members that are undefined', () => {
    const hashOf = (headers: string) =>
      contentHash({ ...connector, headers: JSON.parse(headers) as typeof connector.headers });
    expect(hashOf('{"b":[{"10":1,"9":{"z":1,"a":null}}],"a":""}')).toBe(
      hashOf('{"a":"","b":[{"9":{"a":null,"z":1},"10":1}]}'),
    );
    expect(contentHash({ ...connector, other: undefined } as typeof connector)).toBe(contentHash(connector));
  });

  it('changes with any content, the order of lists included', () => {
    expect(contentHash({ ...connector, categories: ['b', 'a'] })).not.toBe(contentHash(connector));
    expect(contentHash({ ...connector, name: 'x' })).not.toBe(contentHash(connector));
  });
});
