import { expect, it } from 'vitest';
import { listenAddress, replicaAddress } from './own-address.ts';

const mac = '00:00:00:00:00:00';
const loopback = {
  address: '127.0.0.1',
  netmask: '',
  family: 'IPv4',
  mac,
  internal: true,
  cidr: null,
} as const;
const four = { ...loopback, address: '10.0.0.7', internal: false };
const six = { ...four, address: 'fd00::7', family: 'IPv6', scopeid: 0 } as const;

it('the other replicas reach a container at its own address, never at loopback', () => {
  const addressIn = (eth0: (typeof four | typeof six)[]): string | undefined =>
    replicaAddress('8080', undefined, { lo: [loopback], eth0 });
  expect(addressIn([six, four])).toBe('http://10.0.0.7:8080');
  expect(addressIn([six])).toBe('http://[fd00::7]:8080');
  expect(addressIn([])).toBeUndefined();
});

it('the other replicas reach a pod at the address by which its cluster knows it', () => {
  expect(replicaAddress('8080', '10.1.0.9', { eth0: [four] })).toBe('http://10.1.0.9:8080');
  expect(replicaAddress('8080', 'fd00::9', { eth0: [four, six] })).toBe('http://[fd00::9]:8080');
});

it('a pod with an address of IPv6 listens there', () => {
  expect(listenAddress('0.0.0.0', 'fd00::9')).toBe('::');
  expect(listenAddress('0.0.0.0', '10.1.0.9')).toBe('0.0.0.0');
  expect(listenAddress('0.0.0.0', undefined)).toBe('0.0.0.0');
  expect(listenAddress('127.0.0.1', 'fd00::9')).toBe('127.0.0.1');
});
