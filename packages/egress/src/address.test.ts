import { describe, expect, it } from 'vitest';
import { createAddressPolicy, isPublicAddress } from './address.ts';

it.each([
  ['1.1.1.1'],
  ['93.184.215.14'],
  ['172.32.0.1'],
  ['100.63.255.255'],
  ['2606:4700::1111'],
  ['::ffff:1.1.1.1'],
  ['64:ff9b::1.1.1.1'],
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ['loopback', '127.0.0.1'],
  ['loopback, all of it', '127.255.255.254'],
  ['private 10/8', '10.0.0.1'],
  ['private 172.16/12', '172.31.255.255'],
  ['private 192.168/16', '192.168.1.1'],
  ['link-local', '169.254.0.1'],
  ['metadata of most clouds', '169.254.169.254'],
  ['metadata of Alibaba, in carrier-grade NAT', '100.100.100.200'],
  ['metadata of Oracle', '192.0.0.192'],
  ['metadata of Azure, a public address', '168.63.129.16'],
  ['metadata of AWS over IPv6', 'fd00:ec2::254'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['this network', '0.0.0.0'],
  ['this network, all of it', '0.1.2.3'],
  ['broadcast', '255.255.255.255'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['benchmarking', '198.18.0.1'],
  ['IPv6 loopback', '::1'],
  ['IPv6 unspecified', '::'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local with a zone', 'fe80::1%eth0'],
  ['IPv6 unique-local', 'fd12::1'],
  ['IPv6 site-local', 'fec0::1'],
  ['IPv6 multicast', 'ff02::1'],
  ['IPv6 documentation', '2001:db8::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped private, in hexadecimal', '::ffff:a00:1'],
  ['IPv4-compatible loopback', '::7f00:1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::1'],
  ['6to4 of a private address', '2002:a00:1::'],
  ['6to4 of a public address', '2002:101:101::'],
  ['Teredo', '2001:0:4136:e378::1'],
  ['Azure over a mapped address', '::ffff:168.63.129.16'],
  ['no address', 'example.com'],
])('%s (%s) is not public', (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe('what the operator opens', () => {
  it.each([
    ['127.0.0.1', 'x', 80, '127.0.0.1', true],
    ['127.0.0.1', 'x', 80, '127.0.0.2', false],
    ['127.0.0.1:8080', 'x', 8080, '127.0.0.1', true],
    ['127.0.0.1:8080', 'x', 8081, '127.0.0.1', false],
    ['127.0.0.0/8', 'x', 80, '127.9.9.9', true],
    ['127.0.0.0/8', 'x', 80, '10.0.0.1', false],
    ['127.0.0.0/8', 'x', 80, '::ffff:127.0.0.1', true],
    ['::1', 'x', 80, '::1', true],
    ['::1/128', 'x', 80, '::1', true],
    ['[::1]:8080', 'x', 8080, '::1', true],
    ['[::1]:8080', 'x', 80, '::1', false],
    ['crm.internal', 'crm.internal', 80, '10.0.0.1', true],
    ['crm.internal', 'CRM.internal.', 80, '10.0.0.1', true],
    ['crm.internal', 'evil.crm.internal', 80, '10.0.0.1', false],
    ['crm.internal:8080', 'crm.internal', 8080, '10.0.0.1', true],
    ['crm.internal:8080', 'crm.internal', 80, '10.0.0.1', false],
    ['*.internal', 'a.b.internal', 80, '10.0.0.1', true],
    ['*.internal', 'internal', 80, '10.0.0.1', false],
    ['*.internal', 'evilinternal', 80, '10.0.0.1', false],
  ])('%s: %s:%i at %s is %s', (entry, host, port, address, expected) => {
    expect(createAddressPolicy([entry]).isAllowed(host, port, address)).toBe(expected);
  });

  it('an empty entry opens nothing', () => {
    expect(createAddressPolicy(['', ' ']).isAllowed('x', 80, '127.0.0.1')).toBe(false);
  });

  it.each(['http://crm.internal', '10.0.0.0/99', '*', 'a b', '10.0.0.0/8:80', 'host:port'])(
    '%s is refused by name',
    (entry) => {
      expect(() => createAddressPolicy([entry])).toThrow(entry);
    },
  );
});
